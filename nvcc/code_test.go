package nvcc

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
)

// encoded is the output of nvdisasm 11.8 -hex for sm_80 of a loop of ours,
//
//	for (int i = threadIdx.x; i < n; i += 32)
//		sum = sum * a[i] + 1.f;
//	b[threadIdx.x] = sum;
const encoded = `
	//## File "a.cu", line 1
        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;            /* 0x00000a00ff017624 */
                                                                                      /* 0x000fc400078e00ff */
	//## File "a.cu", line 5
        /*0010*/                   S2R R0, SR_TID.X ;                                 /* 0x0000000000007919 */
                                                                                      /* 0x000e220000002100 */
        /*0060*/                   ISETP.GE.AND P0, PT, R0, c[0x0][0x170], PT ;       /* 0x00005c0000007a0c */
                                                                                      /* 0x001fcc0003f06270 */
.L_x_2:
	//## File "a.cu", line 6
        /*00c0*/                   MOV R2, R6 ;                                       /* 0x0000000600027202 */
                                                                                      /* 0x000fcc0000000f00 */
        /*00d0*/                   LDG.E R2, [R2.64] ;                                /* 0x0000000402027981 */
                                                                                      /* 0x0000a2000c1e1900 */
	//## File "a.cu", line 5
        /*00e0*/                   IADD3 R0, R0, 0x20, RZ ;                           /* 0x0000002000007810 */
                                                                                      /* 0x000fe40007ffe0ff */
        /*0100*/                   ISETP.GE.AND P0, PT, R0, c[0x0][0x170], PT ;       /* 0x00005c0000007a0c */
                                                                                      /* 0x000fc60003f06270 */
        /*0110*/                   IMAD.X R3, RZ, RZ, R3, P1 ;                        /* 0x000000ffff037224 */
                                                                                      /* 0x001fe400008e0603 */
	//## File "a.cu", line 6
        /*0120*/                   FFMA R7, R2, R7, 1 ;                               /* 0x3f80000002077423 */
                                                                                      /* 0x004fd00000000007 */
	//## File "a.cu", line 5
        /*0130*/              @!P0 BRA ` + "`(.L_x_2)" + ` ;                                    /* 0xffffff8000008947 */
                                                                                      /* 0x000fea000383ffff */
	//## File "a.cu", line 7
        /*0150*/                   STG.E [R4.64], R7 ;                                /* 0x0000000704007986 */
                                                                                      /* 0x000fe2000c101904 */
	//## File "a.cu", line 8
        /*0160*/                   EXIT ;                                             /* 0x000000000000794d */
                                                                                      /* 0x000fea0003800000 */
.L_x_3:
        /*0170*/                   BRA ` + "`(.L_x_3);" + `                                    /* 0xfffffff000007947 */
                                                                                      /* 0x000fc0000383ffff */
`

// listed are the instructions of one kernel.
func listed(t testing.TB, text string) (*Listing, []Instruction) {
	t.Helper()
	codes := parseSASS("\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n" + text)
	require.Len(t, codes, 1)
	l := codes[0].count(func(p Place) Place { return p })
	return l, codes[0].list()
}

func TestControlCodesAreReadFromTheEncodings(t *testing.T) {
	l, code := listed(t, encoded)
	require.Len(t, l.Loops, 1)
	free := func(stall int, yield bool) Control {
		return Control{Known: true, Stall: stall, Yield: yield, Write: -1, Read: -1}
	}
	special, load, overwrites, uses, first := free(1, false), free(1, false), free(2, false), free(8, true), free(6, true)
	special.Write = 0
	load.Write, load.Read = 2, 0 // R2 is written, R3 is read
	overwrites.Wait = 1 << 0     // of R3
	uses.Wait = 1 << 2           // of R2
	first.Wait = 1 << 0          // of R0, which S2R wrote
	require.Equal(t, []Instruction{
		{0x0, "", "IMAD.MOV.U32", "R1, RZ, RZ, c[0x0][0x28]", -1, false, at(1), free(2, true)},
		{0x10, "", "S2R", "R0, SR_TID.X", -1, false, at(5), special},
		{0x60, "", "ISETP.GE.AND", "P0, PT, R0, c[0x0][0x170], PT", -1, false, at(5), first},
		{0xc0, "", "MOV", "R2, R6", 0, false, at(6), free(6, true)},
		{0xd0, "", "LDG.E", "R2, [R2.64]", 0, false, at(6), load},
		{0xe0, "", "IADD3", "R0, R0, 0x20, RZ", 0, false, at(5), free(2, false)},
		{0x100, "", "ISETP.GE.AND", "P0, PT, R0, c[0x0][0x170], PT", 0, false, at(5), free(3, true)},
		{0x110, "", "IMAD.X", "R3, RZ, RZ, R3, P1", 0, false, at(5), overwrites},
		{0x120, "", "FFMA", "R7, R2, R7, 1", 0, false, at(6), uses},
		{0x130, "@!P0", "BRA", "`(.L_x_2)", 0, false, at(5), free(5, false)},
		{0x150, "", "STG.E", "[R4.64], R7", -1, false, at(7), free(1, false)},
		{0x160, "", "EXIT", "", -1, false, at(8), free(5, false)},
	}, code, "what follows the last EXIT is not reached")
}

func TestEncodingsChangeNothingElse(t *testing.T) {
	var plain []string
	for line := range strings.Lines(encoded) {
		if _, ok := encoding(strings.TrimSuffix(line, "\n")); !ok {
			plain = append(plain, line)
		}
	}
	require.Less(t, len(plain), strings.Count(encoded, "\n"))
	with, code := listed(t, encoded)
	without, bare := listed(t, strings.Join(plain, ""))
	require.Equal(t, with, without)
	for i := range code {
		require.False(t, bare[i].Control.Known)
		code[i].Control = Control{}
	}
	require.Equal(t, code, bare)
}

func TestControlCodesAreKnownFromMaxwellToHopper(t *testing.T) {
	for arch, want := range map[string]bool{
		"sm_35": false, "sm_37": false, "sm_50": true, "sm_52": true, "sm_62": true, "sm_70": true, "sm_75": true, "sm_80": true, "sm_89": true, "sm_90": true, "sm_90a": true,
		"sm_100": false, "sm_100a": false, "sm_120": false, "": false, "sm_": false,
	} {
		require.Equal(t, want, controlsKnown(arch), arch)
	}
}

// bits returns the inverse of controlOf; all other bits are 0.
func (c Control) bits() uint64 {
	free := uint64(1)
	if c.Yield {
		free = 0
	}
	return (uint64(c.Stall) | free<<4 | uint64(c.Write)&7<<5 | uint64(c.Read)&7<<8 | uint64(c.Wait)<<11) << lowestControlBit
}

func TestControlCodesGoToBitsAndBack(t *testing.T) {
	for range 1000 {
		c := Control{
			Known: true, Stall: rand.IntN(16), Yield: rand.IntN(2) == 0, Write: rand.IntN(7) - 1, Read: rand.IntN(7) - 1, Wait: uint8(rand.IntN(64)),
		}
		require.Equal(t, c, controlOf(c.bits()|(1<<lowestControlBit-1)|7<<(122-64)), "what is around it does not matter")
	}
}

func TestCodeGoesIntoTheCacheAndBack(t *testing.T) {
	_, code := listed(t, encoded)
	code[0].Called, code[1].Operands, code[2].Control, code[3].In.File = true, "with\ttabs", Control{}, "a\tfile\n\xff.cu"
	packed := entry{&depends{}, &answer{Codes: [][]Instruction{code}}}.packed()
	back, err := unpacked(packed)
	require.NoError(t, err)
	require.Equal(t, code, back.Answer.Codes[0])

	many := slices.Repeat(code, 100)
	require.Less(t, len(entry{&depends{}, &answer{Codes: [][]Instruction{many}}}.packed()), 10*len(many), "a few bytes per instruction")

	for n := range packed {
		_, err := unpacked(packed[:n])
		require.Error(t, err, n)
	}
}

// examples are requests for all example programs on one architecture, and for
// some of them on others.
func examples(t *testing.T, toolkit *Toolkit) []Request {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "examples", "*", "*.cu"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	some := []string{filepath.Join("..", "examples", "fft", "fft.cu")}
	var out []Request
	for cc, files := range map[string][]string{"8.0": paths, "7.0": some, "9.0": some} {
		arch, exact := toolkit.NearestArch(cc)
		if !exact {
			continue
		}
		texts := map[string][]byte{}
		for _, path := range files {
			if path != some[0] && !suite.InSample(filepath.Base(path), 4) {
				continue
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			texts[path] = text
		}
		out = append(out, Request{Texts: texts, Arch: arch})
	}
	return out
}

// setBefore reports whether an instruction releases a barrier that another one waits for,
// on some path through the code: it stands before it, or a loop holds both.
func setBefore(c *Code, at, barrier int) bool {
	outermost := func(loop int) int {
		for loop >= 0 && c.Listing.Loops[loop].Parent >= 0 {
			loop = c.Listing.Loops[loop].Parent
		}
		return loop
	}
	loop := outermost(c.Instructions[at].Loop)
	for i, in := range c.Instructions {
		if (in.Control.Write == barrier || in.Control.Read == barrier) && (i < at || in.Called || loop >= 0 && outermost(in.Loop) == loop) {
			return true
		}
	}
	return false
}

func TestCodesOfTheExamplesKeepTheRulesOfTheHardware(t *testing.T) {
	toolkit := real(t)
	for _, r := range examples(t, toolkit) {
		codes, err := toolkit.Codes(t.Context(), r)
		require.NoError(t, err)
		require.NotEmpty(t, codes)
		runs := toolkit.runs
		waits, unset := 0, 0
		for _, c := range codes {
			where := fmt.Sprint(c.Unit, " ", c.Name, " ", c.Arch)
			require.NotEmpty(t, c.Mangled)
			require.Positive(t, c.Registers, where)
			require.Equal(t, c.Mangled, c.Listing.Mangled)
			issued, loads := 0, 0
			for i, in := range c.Instructions {
				at := fmt.Sprintf("%s: %x %s %s %+v", where, in.Address, in.Opcode, in.Operands, in.Control)
				require.True(t, in.Control.Known, at)
				require.LessOrEqual(t, in.Control.Stall, 15, at)
				require.GreaterOrEqual(t, in.Control.Write, -1, at)
				require.Less(t, in.Control.Write, 6, at)
				require.GreaterOrEqual(t, in.Control.Read, -1, at)
				require.Less(t, in.Control.Read, 6, at)
				require.Less(t, in.Loop, len(c.Listing.Loops), at)
				if !in.Called {
					issued++
				}
				for b := range 8 {
					if in.Control.Wait&(1<<b) != 0 {
						waits++
						if !setBefore(c, i, b) {
							t.Log("waits for what nobody sets: ", at)
							unset++
						}
					}
				}
				switch one := in.Counts(); {
				case in.Opcode == "EXIT", in.Opcode == "BRA":
					require.GreaterOrEqual(t, in.Control.Stall, 5, at)
				case one.GlobalLoads > 0 && one.SharedStores == 0: // of shared loads in a row, the last one may do so for all
					loads++
					require.GreaterOrEqual(t, in.Control.Write, 0, at)
				case one.GlobalStores+one.LocalStores > 0, one.SharedStores > 0 && one.GlobalLoads == 0:
					require.Equal(t, -1, in.Control.Write, at)
				}
			}
			require.Equal(t, c.Listing.Total().Issue, issued, where)
			require.Positive(t, loads, where)
		}
		// On sm_90 the compiler leaves over a wait for a load that it took out; it
		// costs nothing.
		require.Positive(t, waits)
		require.LessOrEqual(t, unset, waits/50, "%s: of %d waits", r.Arch, waits)
		again, err := toolkit.Codes(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, codes, again)
		listings, err := toolkit.Lines(t.Context(), r)
		require.NoError(t, err)
		require.Len(t, listings, len(codes))
		require.Equal(t, runs, toolkit.runs, "an answer with code is kept, and holds the others")
	}
}

func TestFirstUseOfALoadWaitsForIt(t *testing.T) {
	toolkit := real(t)
	for _, cc := range []string{"5.2", "6.1", "8.0"} {
		t.Run(cc, func(t *testing.T) { firstUses(t, toolkit, cc) })
	}
}

// firstUses looks at the code that a toolkit makes for a compute capability.
func firstUses(t *testing.T, toolkit *Toolkit, cc string) {
	arch, exact := toolkit.NearestArch(cc)
	if !exact {
		t.Skip("this nvcc doesn't know " + cc)
	}
	r, _ := instancesRequest(t, toolkit)
	r.Arch = arch
	codes, err := toolkit.Codes(t.Context(), r)
	require.NoError(t, err)
	checked := 0
	for _, c := range codes {
		for i, in := range c.Instructions {
			if in.Counts().GlobalLoads == 0 {
				continue
			}
			result := operandsOf(&instruction{operands: in.Operands})[0]
			for _, use := range c.Instructions[i+1:] {
				if operands := operandsOf(&instruction{operands: use.Operands}); slices.Contains(operands[min(1, len(operands)):], result) {
					require.NotZero(t, use.Control.Wait&(1<<in.Control.Write), "%+v then %+v", in, use)
					checked++
					break
				}
				if use.Control.Wait&(1<<in.Control.Write) != 0 || use.Loop != in.Loop {
					break // waited for before, or elsewhere
				}
			}
		}
	}
	require.Positive(t, checked)
}

func TestArchitecturesWithoutKnownCodesHaveTheCodeAllTheSame(t *testing.T) {
	toolkit := real(t)
	arch, exact := toolkit.NearestArch("3.5")
	if !exact {
		t.Skip("this nvcc doesn't know sm_35")
	}
	r, _ := instancesRequest(t, toolkit)
	r.Arch = arch
	codes, err := toolkit.Codes(t.Context(), r)
	require.NoError(t, err)
	require.NotEmpty(t, codes)
	for _, c := range codes {
		require.NotEmpty(t, c.Instructions)
		for _, in := range c.Instructions {
			require.Equal(t, Control{}, in.Control)
		}
	}
}

func FuzzEncodings(f *testing.F) {
	f.Add(encoded)
	f.Add("/* 0x000fea000383ffff */\n /*0000*/ EXIT ; /* 0x1 */\n /* 0xffffffffffffffff */\n/* 0x */\n/* 0xzzzzzzzzzzzzzzzz */")
	f.Add("{ /*0008*/ SYNC }\n  /* 0x001ff400fe0007ed */\n\t/* 0x001ff400fe0007ed */  \n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range parseSASS("\t.section\t.text.k,\"ax\"\n" + text) {
			l := c.count(func(p Place) Place { return p })
			code := c.list()
			for _, in := range code {
				require.Less(t, in.Loop, len(l.Loops))
				if !in.Control.Known {
					require.Equal(t, Control{}, in.Control)
					continue
				}
				require.Equal(t, in.Control, controlOf(in.Control.bits()))
				require.LessOrEqual(t, max(in.Control.Write, in.Control.Read), 5)
				require.LessOrEqual(t, in.Control.Stall, 15)
			}
			back, err := unpacked(entry{&depends{}, &answer{Codes: [][]Instruction{code}}}.packed())
			require.NoError(t, err)
			require.ElementsMatch(t, code, back.Answer.Codes[0])
		}
	})
}

// grouped is the output of nvdisasm 11.8 -hex for sm_52 of a kernel of ours.
const grouped = `
                                                                                 /* 0x001c4400fe0007f6 */
        /*0008*/                   MOV R1, c[0x0][0x20] ;                        /* 0x4c98078000870001 */
        /*0010*/         {         MOV R5, c[0x0][0x158] ;                       /* 0x4c98078005670005 */
        /*0018*/                   S2R R0, SR_TID.X         }
                                                                                 /* 0xf0c8000002170000 */
                                                                                 /* 0x041f9000f6a007f2 */
        /*0028*/                   IADD.X R3, R3, c[0x0][0x144] ;                /* 0x4c10080005170303 */
        /*0030*/                   LDG.E R10, [R2] ;                             /* 0xeed420000007020a */
        /*0038*/                   FADD R10, R10, R7 ;                           /* 0x5c58000000770a0a */
                                                                                 /* 0x001ffc00ffe007ef */
        /*0048*/                   EXIT ;                                        /* 0xe30000000007000f */
`

func TestControlCodesOfThreeInstructionsAreReadFromTheWordInFront(t *testing.T) {
	_, code := listed(t, grouped)
	require.Len(t, code, 7)
	var got []Control
	for _, in := range code {
		got = append(got, in.Control)
	}
	require.Equal(t, []Control{
		{Known: true, Stall: 6, Yield: false, Write: -1, Read: -1},
		{Known: true, Stall: 0, Yield: false, Write: -1, Read: -1}, // issues with the next one
		{Known: true, Stall: 1, Yield: false, Write: 0, Read: -1},
		{Known: true, Stall: 2, Yield: false, Write: -1, Read: -1},
		{Known: true, Stall: 5, Yield: false, Write: 5, Read: -1},
		{Known: true, Stall: 4, Yield: true, Write: -1, Read: -1, Wait: 1 << 5}, // for R10
		{Known: true, Stall: 15, Yield: true, Write: -1, Read: -1},
	}, got)
}
