package gpu_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
)

const board = `[gpu.mine]
product = "My Board"
aliases = ["my other board"]
cc = "8.0"
sms = 10
clock_mhz = 1000.5
bandwidth_gbs = 100
l2_bandwidth_gbs = 500
l2_kib = 4096
memory_mib = 1024
source = "me"
`

const arch = `[arch."13.0"]
name = "Next"
threads_per_block = 1024
threads_per_sm = 4096
blocks_per_sm = 64
registers_per_sm = 131_072
registers_per_block = 65536
registers_per_thread = 255
register_granularity = 256
sub_partitions = 4
shared_per_block_kib = 48
shared_per_block_optin_kib = 255
shared_reserved_kib = 1
shared_granularity = 128
carveouts_kib = [0, 64, 256]
issue_per_cycle = 4
dependent_issue = 4
shared_per_cycle = 1
shared_latency = 30
l2_latency = 300
memory_latency = 700
source = "me"
time_source = "me"
`

func TestABoardOfAKnownArchitectureIsAdded(t *testing.T) {
	table, err := gpu.Read("mine.toml", []byte(board))
	require.NoError(t, err)
	for _, name := range []string{"mine", "MY BOARD", "my-other-board"} {
		g, err := table.Lookup(name)
		require.NoError(t, err)
		require.Equal(t, "mine", g.Name)
		require.Equal(t, 10, g.SMs)
		require.Equal(t, 1000.5, g.ClockMHz)
		require.Equal(t, 4<<20, g.L2Bytes)
		a100, err := table.Lookup("a100")
		require.NoError(t, err)
		require.Equal(t, a100.Arch, g.Arch)
	}
	require.Len(t, table.All(), len(gpu.Default().All())+1)
	_, err = gpu.Lookup("mine")
	require.Error(t, err, "the built-in table must stay as it is")
}

func TestABoardOfANewArchitectureStandsForIt(t *testing.T) {
	table, err := gpu.Read("mine.toml", []byte(arch+strings.Replace(board, "8.0", "13.0", 1)))
	require.NoError(t, err)
	g, err := table.Lookup("sm_130@256")
	require.NoError(t, err)
	require.Equal(t, "mine@256", g.String())
	require.Equal(t, 128, g.Arch.WarpsPerSM)
	require.Equal(t, 1, g.Arch.WarpGranularity)
	require.Equal(t, 4, g.Arch.LaunchPartitions)
	require.Equal(t, "mine", g.Arch.Board)
	all := table.All()
	require.Equal(t, "mine", all[len(all)-1].Name)
}

func TestABoardCanChangeLimitsOfItsArchitecture(t *testing.T) {
	table, err := gpu.Read("mine.toml", []byte(board+"[gpu.mine.arch]\nregisters_per_sm = 131072\nthreads_per_sm = 4096\nsub_partitions = 8\n"))
	require.NoError(t, err)
	g, err := table.Lookup("mine")
	require.NoError(t, err)
	require.Equal(t, 131072, g.Arch.RegistersPerSM)
	require.Equal(t, 128, g.Arch.WarpsPerSM)
	require.Equal(t, 8, g.Arch.LaunchPartitions)
	a100, err := table.Lookup("a100")
	require.NoError(t, err)
	require.Equal(t, 65536, a100.Arch.RegistersPerSM)
	require.Equal(t, a100.Arch.BlocksPerSM, g.Arch.BlocksPerSM)
}

func TestTablesCanBeReadOnTopOfEachOther(t *testing.T) {
	first, err := gpu.Read("a.toml", []byte(arch+strings.Replace(board, "8.0", "13.0", 1)))
	require.NoError(t, err)
	second := strings.NewReplacer("mine", "yours", "My Board", "Your Board", "my other board", "your other board").Replace(board)
	table, err := first.Read("b.toml", []byte(second))
	require.NoError(t, err)
	for _, name := range []string{"mine", "yours", "13.0"} {
		_, err := table.Lookup(name)
		require.NoError(t, err, name)
	}
	_, err = first.Lookup("yours")
	require.Error(t, err)
}

// change replaces one line of a file.
func change(src, line, with string) string {
	if !strings.Contains(src, line) {
		panic("no line " + line)
	}
	return strings.Replace(src, line, with, 1)
}

func TestEveryMistakeIsToldWithItsPlace(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"syntax", "[gpu.mine]\nsms = = 3\n", "f:2:7: gpu-file: "},
		{"the same table twice", board + board, "f:12:2: gpu-file: "},
		{"unknown table", "[board.x]\n", `f:1:1: gpu-file: unknown table or key "board": there are [arch."8.0"] and [gpu.name]`},
		{"no table", "gpu = 3\n", "f:1:1: gpu-file: gpu must be a table, not a whole number"},
		{"a list of tables", "[[gpu]]\n", "f:1:1: gpu-file: gpu must be a table, not a list"},
		{"unknown key", change(board, "sms = 10", "sm = 10"), "f:1:1: gpu-file: mine lacks the key sms\nf:5:1: gpu-file: unknown key \"sm\": did you mean \"sms\"?"},
		{"missing cc", change(board, `cc = "8.0"`, ""), "f:1:1: gpu-file: mine lacks the key cc"},
		{"cc is a number", change(board, `"8.0"`, "8.0"), `f:4:1: gpu-file: cc must be text in quotes, such as "8.0", not a number`},
		{"unknown cc", change(board, `"8.0"`, `"8.4"`), `f:4:1: gpu-file: there is no compute capability "8.4" in the table: add [arch."8.4"]`},
		{"a word for a number", change(board, "sms = 10", `  sms = "ten"`), "f:5:3: gpu-file: sms must be a whole number, not text"},
		{"a fraction", change(board, "sms = 10", "sms = 10.5"), "f:5:1: gpu-file: sms must be a whole number, not a number"},
		{"out of range", change(board, "sms = 10", "sms = 0"), "f:5:1: gpu-file: sms must be from 1 to 10000, not 0"},
		{"infinite", change(board, "1000.5", "inf"), "f:6:1: gpu-file: clock_mhz must be from 10 to 100000, not +Inf"},
		{"not a number", change(board, "1000.5", "nan"), "f:6:1: gpu-file: clock_mhz must be from 10 to 100000, not NaN"},
		{"empty text", change(board, `"me"`, `" "`), "f:11:1: gpu-file: source must not be empty"},
		{"a list of numbers", change(board, `["my other board"]`, `["x", 3]`), "f:3:1: gpu-file: aliases element 2 must be text in quotes, not a whole number"},
		{"no list", change(board, `["my other board"]`, `"x"`), "f:3:1: gpu-file: aliases must be a list in [ ], not text"},
		{"a name that exists", strings.ReplaceAll(board, "mine", "a100"), `f:1:1: gpu-file: the name "a100" is taken by a100`},
		{"an alias that exists", change(board, "my other board", "GTX 480"), `f:1:1: gpu-file: the name "GTX 480" is taken by gtx480`},
		{"a bad name", strings.ReplaceAll(board, "gpu.mine", `gpu."My@16"`), `f:1:1: gpu-file: the name "My@16" is not made of small letters, digits, dots, dashes and underscores`},
		{"a name that spells a cc", strings.ReplaceAll(board, "gpu.mine", `gpu.sm_86`), `f:1:1: gpu-file: "sm_86" is the name of a compute capability`},
		{"the other half of an L2", change(board, "l2_bandwidth_gbs = 500", "l2_bandwidth_gbs = 0"), "f:8:1: gpu-file: l2_kib and l2_bandwidth_gbs must both be 0, or neither"},
		{"half an L2", change(board, "l2_kib = 4096", "l2_kib = 0"), "f:8:1: gpu-file: l2_kib and l2_bandwidth_gbs must both be 0, or neither"},
		{"an L2 that the cc lacks", change(board, `"8.0"`, `"1.3"`), "f:9:1: gpu-file: l2_kib must be 0: compute capability 1.3 has no L2 latency"},
		{"a carve-out that the SM lacks", board + "carveout_kib = 48\n", "f:12:1: gpu-file: mine has no 48 kB of shared memory per SM, but 8, 16, 32, 64, 100, 132 or 164 kB"},
		{"an estimate of nothing", board + `estimates = ["sm"]`, `f:12:1: gpu-file: estimates names "sm", which is not a key: did you mean "sms"?`},
		{"nothing unchecked", board + `unchecked = ["clock"]`, `f:12:1: gpu-file: unchecked names "clock", which is not a key`},
		{"an estimate unchecked", board + "estimates = [\"sms\"]\nunchecked = [\"l2_kib\", \"sms\"]\n", "f:13:1: gpu-file: sms is in estimates too: an estimate has no source to be checked"},
		{"arch of a board is no table", board + "arch = 8\n", "f:12:1: gpu-file: arch must be a table, not a whole number"},
		{"a changed limit out of range", board + "[gpu.mine.arch]\nblocks_per_sm = 0\n", "f:13:1: gpu-file: blocks_per_sm must be from 1 to 1024, not 0"},
		{"a changed limit that can't be", board + "[gpu.mine.arch]\nthreads_per_sm = 512\n", "f:12:1: gpu-file: threads_per_block must not exceed threads_per_sm"},
		{"a key of an inline table", `gpu.mine = {sms = 10}`, "f:1:1: gpu-file: mine lacks the key product"},

		{"arch: known", change(arch, "13.0", "9.0"), "f:1:1: gpu-file: compute capability 9.0 is in the table already"},
		{"arch: no cc", change(arch, `"13.0"`, "next"), `f:1:1: gpu-file: "next" is not a compute capability: write it in quotes, as in [arch."8.0"]`},
		{"arch: no quotes", change(arch, `"13.0"`, "13.0"), `f:1:1: gpu-file: "13" is not a compute capability: write it in quotes, as in [arch."8.0"]`},
		{"arch: no board of it", change(arch, `name = "Next"`, "name = \"Next\"\nboard = \"a100\""), `f:3:1: gpu-file: "a100", which is to stand for compute capability 13.0, is not a board of it`},
		{"arch: no board at all", arch, `f:1:1: gpu-file: compute capability 13.0 has no board: add [gpu.name] with cc = "13.0"`},
		{"arch: warps", change(arch, "= 4096", "= 4100"), "f:4:1: gpu-file: threads_per_sm must be a multiple of 32, the threads of a warp"},
		{"arch: registers", change(arch, "registers_per_block = 65536", "registers_per_block = 262144"), "f:7:1: gpu-file: registers_per_block must not exceed registers_per_sm"},
		{"arch: partitions", change(arch, "sub_partitions = 4", "sub_partitions = 3"), "f:10:1: gpu-file: sub_partitions must divide registers_per_sm"},
		{"arch: granularity", change(arch, "register_granularity = 256", "register_granularity = 257"), "f:9:1: gpu-file: register_granularity must divide the registers of a sub-partition"},
		{"arch: optin below default", change(arch, "optin_kib = 255", "optin_kib = 32"), "f:11:1: gpu-file: shared_per_block_kib must not exceed shared_per_block_optin_kib"},
		{"arch: optin above the SM", change(arch, "optin_kib = 255", "optin_kib = 256"), "f:12:1: gpu-file: shared_per_block_optin_kib and shared_reserved_kib must not exceed the largest of carveouts_kib"},
		{"arch: no carve-outs", change(arch, "[0, 64, 256]", "[]"), "f:15:1: gpu-file: carveouts_kib must end with a size above 0"},
		{"arch: carve-outs descend", change(arch, "[0, 64, 256]", "[64, 0, 256]"), "f:15:1: gpu-file: carveouts_kib must ascend"},
		{"arch: a carve-out twice", change(arch, "[0, 64, 256]", "[64, 64, 256]"), "f:15:1: gpu-file: carveouts_kib must ascend"},
		{"arch: shared granularity", change(arch, "granularity = 128", "granularity = 100"), "f:14:1: gpu-file: shared_granularity must divide every size of carveouts_kib"},
		{"arch: L2 before shared", change(arch, "l2_latency = 300", "l2_latency = 20"), "f:20:1: gpu-file: l2_latency must be above shared_latency, or 0 where there is no L2"},
		{"arch: memory before L2", change(arch, "memory_latency = 700", "memory_latency = 200"), "f:21:1: gpu-file: memory_latency must be above shared_latency and l2_latency"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := gpu.Read("f", []byte(tt.src))
			var file *gpu.FileError
			require.ErrorAs(t, err, &file)
			require.Contains(t, err.Error(), tt.want)
			require.True(t, strings.HasPrefix(err.Error(), strings.SplitN(tt.want, ": ", 2)[0]), "first message: %v", err)
			for _, m := range file.Messages {
				require.NotEmpty(t, m.Help)
				require.True(t, m.Pos.IsValid())
			}
		})
	}
}

func TestAllMistakesOfAFileAreTold(t *testing.T) {
	src := change(change(board, "sms = 10", "sms = 0"), "l2_kib = 4096", "l2_kb = 4096") + "[gpu.second]\n"
	_, err := gpu.Read("f", []byte(src))
	var file *gpu.FileError
	require.ErrorAs(t, err, &file)
	require.Greater(t, len(file.Messages), 8)
	lines := make([]int, len(file.Messages))
	for i, m := range file.Messages {
		lines[i] = m.Pos.Line
	}
	require.IsNonDecreasing(t, lines)
}

func TestEveryRequiredKeyIsMissed(t *testing.T) {
	for _, src := range []string{board, arch} {
		lines := strings.Split(strings.TrimSpace(src), "\n")
		for i := 1; i < len(lines); i++ {
			key, _, _ := strings.Cut(lines[i], " ")
			left := strings.Join(append(lines[:i:i], lines[i+1:]...), "\n")
			if src == arch {
				left += "\n" + strings.Replace(board, "8.0", "13.0", 1)
			}
			_, err := gpu.Read("f", []byte(left))
			switch key {
			case "aliases", "shared_reserved_kib": // may be left out
				require.NoError(t, err, key)
			default:
				require.ErrorContains(t, err, "f:1:1: gpu-file: ", key)
				require.ErrorContains(t, err, "lacks the key "+key)
			}
		}
	}
}

func TestAProductNameTakesNoNameFromAnotherBoard(t *testing.T) {
	table, err := gpu.Default().Read("f", []byte(change(board, `product = "My Board"`, `product = "NVIDIA Tesla T4"`)))
	require.NoError(t, err)
	g, err := table.Lookup("t4")
	require.NoError(t, err)
	require.Equal(t, "t4", g.Name)
}

func TestTheDocumentedExampleGetsItsCode(t *testing.T) {
	doc, ok := diag.Lookup(gpu.CodeFile)
	require.True(t, ok)
	_, err := gpu.Read("f", []byte(doc.Example))
	require.ErrorContains(t, err, string(gpu.CodeFile))
}
