package variant

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
)

// Recipe says what the rewriter demote does to a kernel. Each part may stand alone; the zero value does nothing.
//
// As text (String, ParseRecipe) a recipe is words with a space in between:
//
//	bounds=256,3          __launch_bounds__(256, 3)
//	maxnreg=40            __maxnreg__(40)
//	unroll=57:1,80.2:4    #pragma unroll 1 before the loop in line 57, and so on
//	pin=i,p@41            an empty asm at each read and write of these variables
//	demote=sum,acc@33     these variables lie in shared memory
//	form=asm              … and are read and written by asm volatile ld and st
//	spill=shared          the compiler may spill to shared memory (CUDA 13)
//
// Variables and loops are named as by Kernel.VariableName and Kernel.LoopName.
type Recipe struct {
	// Threads and Blocks are __launch_bounds__(Threads, Blocks): the most threads of a thread block, and the thread
	// blocks that an SM is to hold at least; 0 leaves the kernel's own. Where Blocks is 0 only Threads is set.
	Threads, Blocks int
	// MaxRegisters is __maxnreg__, registers per thread; 0 for none. It excludes Threads and Blocks.
	MaxRegisters int
	Unroll       []UnrolledLoop // in source order
	Pins         []string       // variables
	Words        []string       // variables that move to shared memory, in the order of their slots
	// Form says how demoted words are accessed: FormVolatile, the default, or FormAsm.
	Form string
	// Spill lets the compiler spill to shared memory (PTX 9.0).
	Spill bool
}

// UnrolledLoop is a loop with the factor of its #pragma unroll.
type UnrolledLoop struct {
	Loop   string
	Factor int
}

// The forms of demoted words. A plain __shared__ word is none of them: the
// compiler forwards what was stored, so that the value stays in a register.
const (
	FormVolatile = "volatile" // a reference to a volatile word
	FormAsm      = "asm"      // asm volatile loads and stores
)

// String returns the canonical text of a recipe.
func (r Recipe) String() string {
	var words []string
	add := func(key, value string) { words = append(words, key+"="+value) }
	switch {
	case r.Threads > 0 && r.Blocks > 0:
		add("bounds", fmt.Sprintf("%d,%d", r.Threads, r.Blocks))
	case r.Threads > 0:
		add("bounds", strconv.Itoa(r.Threads))
	}
	if r.MaxRegisters > 0 {
		add("maxnreg", strconv.Itoa(r.MaxRegisters))
	}
	if len(r.Unroll) > 0 {
		list := lists.Map(r.Unroll, func(u UnrolledLoop) string { return fmt.Sprintf("%s:%d", u.Loop, u.Factor) })
		add("unroll", strings.Join(list, ","))
	}
	if len(r.Pins) > 0 {
		add("pin", strings.Join(r.Pins, ","))
	}
	if len(r.Words) > 0 {
		add("demote", strings.Join(r.Words, ","))
		if r.Form != "" && r.Form != FormVolatile {
			add("form", r.Form)
		}
	}
	if r.Spill {
		add("spill", "shared")
	}
	return strings.Join(words, " ")
}

// ParseRecipe reads what String writes. The error says which word is wrong.
func ParseRecipe(text string) (Recipe, error) {
	var r Recipe
	for _, word := range strings.Fields(text) {
		key, value, ok := strings.Cut(word, "=")
		if !ok || value == "" {
			return r, fmt.Errorf("%q is not key=value", word)
		}
		if err := r.set(key, value); err != nil {
			return r, fmt.Errorf("%q: %w", word, err)
		}
	}
	if r.MaxRegisters > 0 && r.Threads > 0 {
		return r, fmt.Errorf("bounds and maxnreg exclude each other")
	}
	return r, nil
}

func (r *Recipe) set(key, value string) error {
	switch list := strings.Split(value, ","); key {
	case "bounds":
		numbers, err := positive(list)
		if err != nil || len(numbers) > 2 {
			return fmt.Errorf("bounds takes threads, or threads,blocks")
		}
		r.Threads = numbers[0]
		if len(numbers) == 2 {
			r.Blocks = numbers[1]
		}
	case "maxnreg":
		numbers, err := positive(list)
		if err != nil || len(numbers) != 1 {
			return fmt.Errorf("maxnreg takes a number of registers")
		}
		r.MaxRegisters = numbers[0]
	case "unroll":
		for _, item := range list {
			at := strings.LastIndex(item, ":")
			if at < 1 {
				return fmt.Errorf("unroll takes line:factor")
			}
			factor, err := positive([]string{item[at+1:]})
			if err != nil {
				return err
			}
			r.Unroll = append(r.Unroll, UnrolledLoop{item[:at], factor[0]})
		}
	case "pin":
		r.Pins = list
	case "demote":
		r.Words = list
	case "form":
		if value != FormVolatile && value != FormAsm {
			return fmt.Errorf("form is %s or %s", FormVolatile, FormAsm)
		}
		if value != FormVolatile {
			r.Form = value
		}
	case "spill":
		if value != "shared" {
			return fmt.Errorf("spill is shared")
		}
		r.Spill = true
	default:
		return fmt.Errorf("there is no part of that name; the parts are bounds, maxnreg, unroll, pin, demote, form, spill")
	}
	return nil
}

func positive(texts []string) ([]int, error) {
	var out []int
	for _, text := range texts {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a positive number", text)
		}
		out = append(out, n)
	}
	return out, nil
}
