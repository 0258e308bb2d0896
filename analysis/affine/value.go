package affine

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis/ir"
)

// value is what an expression stands for: a number, a pointer, or nothing that
// addresses are made of.
type value struct {
	known bool
	form  Form // the number; of a pointer, bytes from the array's start

	isPtr bool
	array Array
	elem  int      // bytes of the innermost element, 0 if not known
	dims  []int64  // extents still to be subscripted behind the next: float a[][8][4] has 8, 4
	field string   // a member of the element
	base  *ir.Type // of the element; nil if not known
	sized bool     // form is right: no element of unknown size was stepped over
	whole bool     // it names the element, not its address
	moves int      // bytes of the member that is named, 0: elem

	// may is set for a member of a struct parameter: what it points to, if it
	// is a pointer.
	may *Array
}

func number(f Form) value { return value{known: true, form: f} }

func (v value) equal(o value) bool {
	if v.known != o.known || v.isPtr != o.isPtr || !v.form.Equal(o.form) {
		return false
	}
	return !v.isPtr || v.array == o.array && v.elem == o.elem && v.field == o.field && v.sized == o.sized && len(v.dims) == len(o.dims)
}

// stride returns the size of one step of the pointer, in bytes; 0 if not known.
func (v value) stride() int64 {
	n := int64(v.elem)
	for _, d := range v.dims {
		n *= d
	}
	return n
}

// assumedElement is the size of elements whose type is not known, in bytes.
const assumedElement = 4

// advance moves a pointer by n elements.
func (v value) advance(n value) value {
	s := v.stride()
	if s == 0 {
		v.sized = false
		s = assumedElement
	}
	if !n.known {
		v.sized = false
		return v
	}
	if f := recompose(v.form.Add(n.form.Scale(s))); len(f.Terms) <= maxTerms {
		v.form = f
	} else {
		v.sized = false
	}
	return v
}

func unique(name string, serial int) string { return fmt.Sprintf("%s'%d", name, serial) }

// pointer is the value where a pointer is wanted.
func (v value) pointer() value {
	if !v.isPtr && v.may != nil {
		return value{known: true, isPtr: true, array: *v.may}
	}
	return v
}

// size is how many bytes an access through the pointer moves.
func (v value) size() int {
	if v.moves > 0 {
		return v.moves
	}
	return v.elem
}
