package parser

// keyword is one word of CUDA (or of a compiler) that the C++ grammar does not
// know, and that modifies the declaration around it.
type keyword struct {
	quals Qualifiers
	args  argsUse
}

type argsUse uint8

const (
	noArgs argsUse = iota
	withArgs
)

// keywords are blanked wherever they stand.
var keywords = map[string]keyword{
	"__global__":           {QualGlobal, noArgs},
	"__device__":           {QualDevice, noArgs},
	"__host__":             {QualHost, noArgs},
	"__shared__":           {QualShared, noArgs},
	"__constant__":         {QualConstant, noArgs},
	"__managed__":          {QualManaged, noArgs},
	"__restrict__":         {QualRestrict, noArgs},
	"__restrict":           {QualRestrict, noArgs},
	"__forceinline__":      {QualForceInline, noArgs},
	"__forceinline":        {QualForceInline, noArgs},
	"__noinline__":         {QualNoInline, noArgs},
	"__inline_hint__":      {0, noArgs},
	"__grid_constant__":    {QualGridConstant, noArgs},
	"__cluster_dims__":     {QualCluster, withArgs},
	"__launch_bounds__":    {0, withArgs},
	"__maxnreg__":          {0, withArgs},
	"__block_size__":       {0, withArgs},
	"__align__":            {0, withArgs},
	"__builtin_align__":    {0, withArgs},
	"__declspec":           {0, withArgs},
	"__attribute__":        {0, withArgs},
	"__attribute":          {0, withArgs},
	"__device_builtin__":   {0, noArgs},
	"__cudart_builtin__":   {0, noArgs},
	"__nv_pure__":          {0, noArgs},
	"__tile_global__":      {QualGlobal, noArgs},
	"__extension__":        {0, noArgs},
	"__cdecl":              {0, noArgs},
	"__stdcall":            {0, noArgs},
	"__fastcall":           {0, noArgs},
	"__inline__":           {0, noArgs},
	"__inline":             {0, noArgs},
	"__volatile__":         {QualVolatile, noArgs},
	"__const__":            {QualConst, noArgs},
	"CUDART_CB":            {0, noArgs},
	"CUDA_CB":              {0, noArgs},
	"CUDAAPI":              {0, noArgs},
	"CUDARTAPI":            {0, noArgs},
	"C10_LAUNCH_BOUNDS_0":  {0, noArgs},
	"C10_LAUNCH_BOUNDS_1":  {0, withArgs},
	"C10_LAUNCH_BOUNDS_2":  {0, withArgs},
	"C10_HOST_DEVICE":      {QualHost | QualDevice, noArgs},
	"C10_DEVICE":           {QualDevice, noArgs},
	"C10_HOST":             {QualHost, noArgs},
	"EIGEN_DEVICE_FUNC":    {QualHost | QualDevice, noArgs},
	"EIGEN_STRONG_INLINE":  {0, noArgs},
	"EIGEN_ALWAYS_INLINE":  {0, noArgs},
	"CUB_RUNTIME_FUNCTION": {QualHost | QualDevice, noArgs},
	"VKAPI_ATTR":           {0, noArgs},
	"VKAPI_CALL":           {0, noArgs},
	"APIENTRY":             {0, noArgs},
	"GLAPIENTRY":           {0, noArgs},
	"WINAPI":               {0, noArgs},
}

// cppQualifiers are words of C++ that may stand in the body of an attribute-like macro.
var cppQualifiers = map[string]Qualifiers{
	"static": QualStatic, "extern": QualExtern, "inline": 0, "const": QualConst,
	"constexpr": QualConstexpr, "volatile": QualVolatile, "register": 0,
	"typename": 0, "virtual": 0, "explicit": 0, "friend": 0, "noexcept": 0,
	"thread_local": 0, "mutable": 0, "alignas": 0,
}

// isKeywordCandidate is a cheap test that most identifiers fail.
func isKeywordCandidate(w []byte) bool {
	return len(w) > 5 && (w[0] == '_' && w[1] == '_' || w[0] < 'a' && isIdentByte(w[1]) && w[1] < 'a')
}
