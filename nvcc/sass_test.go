package nvcc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listing counts what nvdisasm would print for one kernel named k.
func listing(t *testing.T, text string) *Listing {
	t.Helper()
	codes := parseSASS("\t.section\t.text.k,\"ax\",@progbits\n\t.sectionflags\t@\"SHF_BARRIERS=1\"\n\t.sectioninfo\t@\"SHI_REGISTERS=8\"\nk:\n.text.k:\n" + text)
	require.Len(t, codes, 1)
	require.Equal(t, "k", codes[0].mangled)
	return codes[0].count(func(p Place) Place { return p })
}

func at(line int) Place { return Place{"a.cu", line} }

// A loop in a loop; the inner one was unrolled four times and has a remainder.
const nested = `
	//## File "a.cu", line 10
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/                   S2R R0, SR_TID.X ;
.L_x_0:
	//## File "a.cu", line 12
        /*0020*/                   LDG.E.64 R2, [R4.64] ;
        /*0030*/                   STS.64 [R0], R2 ;
	//## File "a.cu", line 13
        /*0040*/                   BAR.SYNC 0x0 ;
.L_x_1:
	//## File "a.cu", line 15
        /*0050*/                   LDS.128 R8, [R0] ;
        /*0060*/                   FFMA R5, R8, R9, R5 ;
        /*0070*/                   MUFU.RCP R6, R5 ;
	//## File "a.cu", line 14
        /*0080*/                   IADD3 R7, R7, -0x4, RZ ;
        /*0090*/                   ISETP.GT.AND P0, PT, R7.reuse, 0x3, PT ;
        /*00a0*/               @P0 BRA ` + "`(.L_x_1)" + ` ;
.L_x_2:
	//## File "a.cu", line 15
        /*00b0*/                   LDS R8, [R0] ;
        /*00c0*/                   FFMA R5, R8, R9, R5 ;
	//## File "a.cu", line 14
        /*00d0*/                   IADD3 R7, R7, -0x1, RZ ;
        /*00e0*/                   ISETP.NE.AND P0, PT, R7, RZ, PT ;
        /*00f0*/               @P0 BRA ` + "`(.L_x_2)" + ` ;
	//## File "a.cu", line 11
        /*0100*/                   IADD3 R20, R20, 0x1, RZ ;
        /*0110*/                   ISETP.GE.AND P1, PT, R20, c[0x0][0x170], PT ;
        /*0120*/              @!P1 BRA ` + "`(.L_x_0)" + ` ;
	//## File "a.cu", line 18
        /*0130*/                   STG.E [R4.64], R5 ;
        /*0140*/                   EXIT ;
.L_x_3:
        /*0150*/                   BRA ` + "`(.L_x_3)" + `;
        /*0160*/                   NOP;
.L_x_4:
`

func TestLoopsNestAndTellTheirTurns(t *testing.T) {
	l := listing(t, nested)
	require.Len(t, l.Loops, 3, "what follows the last EXIT is no loop")
	outer, four, one := l.Loops[0], l.Loops[1], l.Loops[2]
	require.Equal(t, Loop{ID: 0, Parent: -1, Depth: 1, From: 0x20, To: 0x120, Branch: at(11), BranchIn: at(11), First: 11, Last: 15, Unrolled: 1, Step: 1}, outer)
	require.Equal(t, Loop{ID: 1, Parent: 0, Depth: 2, From: 0x50, To: 0xa0, Branch: at(14), BranchIn: at(14), First: 14, Last: 15, Unrolled: 4, Step: -4}, four)
	require.Equal(t, 1, one.Unrolled)
	require.Equal(t, -1, one.Step)
	require.True(t, l.Within(2, 0))
	require.False(t, l.Within(2, 1))
	require.True(t, l.Within(2, -1))
}

func TestCountsPerLineAndLoopAddUp(t *testing.T) {
	l := listing(t, nested)
	total := l.Total()
	require.Equal(t, Counts{
		Issue: 21, Integer: 6, Float: 2, Special: 1, Barriers: 1, Branches: 4,
		SharedLoads: 2, SharedLoadBytes: 20, SharedStores: 1, SharedStoreBytes: 8, GlobalLoads: 1, GlobalLoadBytes: 8, GlobalStores: 1, GlobalStoreBytes: 4, LoadWaits: 1,
	}, total)
	var byLine Counts
	for _, c := range l.ByLine() {
		byLine = byLine.Add(c)
	}
	require.Equal(t, total, byLine)
	byLoop := l.Body(-1)
	for i := range l.Loops {
		byLoop = byLoop.Add(l.Body(i))
	}
	require.Equal(t, total, byLoop)
	require.Equal(t, 16, l.Body(1).SharedLoadBytes)
	require.Equal(t, 20, l.ByLine()[at(15)].SharedLoadBytes)
}

func TestJumpBackFromCodeMovedAsideIsNoLoop(t *testing.T) {
	l := listing(t, `
        /*0000*/              @!P0 BRA `+"`(.L_x_1)"+` ;
.L_x_0:
        /*0010*/                   STG.E [R4.64], R5 ;
        /*0020*/                   EXIT ;
.L_x_1:
        /*0030*/                   MUFU.RSQ R5, R5 ;
        /*0040*/                   BRA `+"`(.L_x_0)"+` ;
`)
	require.Empty(t, l.Loops)
	require.Equal(t, 5, l.Total().Issue)
}

func TestWaitingPointsLeadOutOfALoop(t *testing.T) {
	for name, text := range map[string]string{
		"sm_70 and later": `
        /*0000*/                   BSSY B0, ` + "`(.L_x_2)" + ` ;
.L_x_0:
        /*0010*/               @P1 BREAK B0 ;
        /*0020*/               @P1 BSYNC B0 ;
        /*0030*/                   LDG.E R0, [R2.64] ;
        /*0040*/                   BRA ` + "`(.L_x_0)" + ` ;
.L_x_2:
        /*0050*/                   EXIT ;
`,
		"before": `
        /*0008*/                   PBK ` + "`(.L_x_2)" + ` ;
.L_x_0:
        /*0010*/         {     @P1 BRK         }
        /*0018*/                   LDG.E R0, [R2] ;
        /*0028*/         {         NOP ;
        /*0030*/                   BRA ` + "`(.L_x_0)" + `         }
.L_x_2:
        /*0038*/                   EXIT ;
`} {
		t.Run(name, func(t *testing.T) {
			l := listing(t, text)
			require.Len(t, l.Loops, 1)
			require.Equal(t, 1, l.Body(0).GlobalLoads)
			require.Equal(t, 1, l.Body(-1).Branches-1, "the opening and the exit are outside")
		})
	}
}

func TestInlinedCodeBelongsToTheCallingLine(t *testing.T) {
	l := listing(t, `
	//## File "lib.h", line 3 inlined at "mid.h", line 8
	//## File "mid.h", line 8 inlined at "a.cu", line 20
	//## File "a.cu", line 20
        /*0000*/                   FADD R0, R1, R2 ;
	//## File "a.cu", line 21
        /*0010*/                   EXIT ;
`)
	require.Len(t, l.Lines, 2)
	require.Equal(t, Place{"lib.h", 3}, l.Lines[1].Place)
	require.Equal(t, at(20), l.Lines[1].In)
	require.Equal(t, 1, l.ByLine()[at(20)].Float)
}

func TestBarriersOfOneInlinedFunctionAreNotTakenForTurns(t *testing.T) {
	l := listing(t, `
.L_x_0:
	//## File "sync.h", line 3 inlined at "a.cu", line 8
	//## File "a.cu", line 8 inlined at "a.cu", line 20
	//## File "a.cu", line 20
        /*0000*/                   BAR.SYNC 0x0 ;
	//## File "sync.h", line 3 inlined at "a.cu", line 9
	//## File "a.cu", line 9 inlined at "a.cu", line 20
	//## File "a.cu", line 20
        /*0010*/                   BAR.SYNC 0x0 ;
        /*0020*/               @P0 BRA `+"`(.L_x_0)"+` ;
        /*0030*/                   EXIT ;
`)
	require.Len(t, l.Loops, 1)
	require.Equal(t, 1, l.Loops[0].Unrolled)
	require.Equal(t, 2, l.Body(0).Barriers)
}

func TestCalledFunctionsAreKeptApart(t *testing.T) {
	l := listing(t, `
        /*0000*/                   CALL.REL.NOINC `+"`($k$__slow) ;"+`
        /*0010*/                   EXIT ;
        .type           $k$__slow,@function
        .size           $k$__slow,(.L_x_9 - $k$__slow)
$k$__slow:
.L_x_1:
        /*0020*/                   FMUL R0, R0, R0 ;
        /*0030*/               @P0 BRA `+"`(.L_x_1) ;"+`
        /*0040*/                   RET.REL.NODEC R2 `+"`(k) ;"+`
.L_x_9:
	.section	.nv.info,"",@"SHT_CUDA_INFO"
        /*0050*/                   FMUL R0, R0, R0 ;
`)
	require.Equal(t, Counts{Issue: 2, Branches: 2}, l.Total())
	require.Len(t, l.Loops, 1)
	require.True(t, l.Loops[0].Called)
}

func TestIndirectJumpsHaveAllTheirTargets(t *testing.T) {
	l := listing(t, `
.L_x_0:
        /*0000*/                   LDG.E R0, [R2.64] ;
        /*0010*/                   BRX R2 -0x20 (*"BRANCH_TARGETS .L_x_0,.L_x_1,.L_x_2"*) ;
.L_x_1:
        /*0020*/                   FADD R0, R0, R0 ;
        /*0030*/                   EXIT ;
.L_x_2:
        /*0040*/                   DADD R0, R0, R0 ;
        /*0050*/                   EXIT ;
`)
	require.Len(t, l.Loops, 1)
	require.Equal(t, 6, l.Total().Issue)
}

func TestStepIsUnknownUnlessConstant(t *testing.T) {
	for update, want := range map[string]int{
		"IADD3 R7, R7, 0x8, RZ":         8,
		"IADD3 R7, P2, R7, 0x20, RZ":    32,
		"IADD32I R7, R7, -0x10":         -16,
		"IADD3 R7, R7, c[0x0][0x0], RZ": 0,
		"IADD3 R7, R7, R9, RZ":          0,
		"IMAD R7, R7, 0x2, R9":          0,
		"LDG.E.128 R4, [R2.64]":         0,
		"IADD3 R8, R7, 0x8, RZ":         0,
	} {
		l := listing(t, `
.L_x_0:
        /*0000*/                   `+update+` ;
        /*0010*/                   ISETP.LT.AND P0, PT, R7, R20, PT ;
        /*0020*/               @P0 BRA `+"`(.L_x_0)"+` ;
        /*0030*/                   EXIT ;
`)
		require.Len(t, l.Loops, 1)
		require.Equal(t, want, l.Loops[0].Step, update)
	}
}

func TestClassesAndWidths(t *testing.T) {
	for opcode, want := range map[string]Counts{
		"LDG.E.128.CONSTANT":   {Issue: 1, GlobalLoads: 1, GlobalLoadBytes: 16},
		"LDG.E.S16.CONSTANT":   {Issue: 1, GlobalLoads: 1, GlobalLoadBytes: 2},
		"LD.E.U8":              {Issue: 1, GlobalLoads: 1, GlobalLoadBytes: 1},
		"STG.E.U16":            {Issue: 1, GlobalStores: 1, GlobalStoreBytes: 2},
		"LDS.U.64":             {Issue: 1, SharedLoads: 1, SharedLoadBytes: 8},
		"LDSM.16.M88.4":        {Issue: 1, SharedLoads: 1, SharedLoadBytes: 16},
		"LDGSTS.E.BYPASS.128":  {Issue: 1, GlobalLoads: 1, GlobalLoadBytes: 16, SharedStores: 1, SharedStoreBytes: 16},
		"ATOMS.ADD":            {Issue: 1, SharedAtomics: 1},
		"RED.E.ADD.STRONG.GPU": {Issue: 1, GlobalAtomics: 1},
		"LDL.LU":               {Issue: 1, LocalLoads: 1},
		"STL.64":               {Issue: 1, LocalStores: 1},
		"ULDC.64":              {Issue: 1, ConstantLoads: 1},
		"IMAD.MOV.U32":         {Issue: 1},
		"IMAD.WIDE.U32":        {Issue: 1, Integer: 1},
		"UIADD3":               {Issue: 1, Integer: 1},
		"HFMA2.MMA":            {Issue: 1, Float: 1},
		"HMMA.16816.F32":       {Issue: 1, Tensor: 1},
		"DFMA":                 {Issue: 1, Double: 1},
		"MUFU.EX2":             {Issue: 1, Special: 1},
		"I2F.U32":              {Issue: 1, Special: 1},
		"BAR.ARV":              {Issue: 1, Barriers: 1},
		"WARPSYNC":             {Issue: 1, Branches: 1},
		"TEX.SCR.LL":           {Issue: 1, TextureLoads: 1},
		"SHFL.DOWN":            {Issue: 1},
		"S2R":                  {Issue: 1},
	} {
		require.Equal(t, want, countOf(opcode), opcode)
	}
}

func FuzzSASS(f *testing.F) {
	f.Add(nested)
	f.Add("\t.section\t.text.k,\"ax\"\n.L_x_0:\n /*0000*/ @P0 BRX R2 (*\"BRANCH_TARGETS .L_x_0\"*) ;\n{ /*0008*/ SYNC }\n$f:\n /*0010*/ CALL `(.L_x_0);")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range parseSASS("\t.section\t.text.k,\"ax\"\n" + text) {
			l := c.count(func(p Place) Place { return p })
			require.LessOrEqual(t, l.Total().Issue, strings.Count(text, "/*"))
			for i, loop := range l.Loops {
				require.Less(t, loop.Parent, i)
				require.LessOrEqual(t, loop.Unrolled, l.Total().Issue*32+1000)
			}
		}
	})
}

func FuzzReadBarriers(f *testing.F) {
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, n := range readBarriers(file) {
			require.LessOrEqual(t, n, 16)
		}
	})
}
