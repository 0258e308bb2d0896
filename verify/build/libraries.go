package build

import (
	"path/filepath"
	"regexp"
	"strings"
)

// library is code that CUDA programs use and that is not part of CUDA's language and runtime.
type library struct {
	name    string
	headers *regexp.Regexp // of its headers, as #include names them
	names   *regexp.Regexp // of its functions, types and constants
	gpu     bool           // it runs on the GPU, so that installing it would not help
	standIn bool           // smux has a part of it
}

func gpuLibrary(name, headers, names string) library {
	return library{name, regexp.MustCompile(headers), regexp.MustCompile(names), true, false}
}

func hostLibrary(name, headers, names string) library {
	return library{name, regexp.MustCompile(headers), regexp.MustCompile(names), false, false}
}

var libraries = []library{
	{"torch", regexp.MustCompile(`^(torch|ATen|c10|pybind11)/`), regexp.MustCompile(`^((at|torch|c10|pybind11|py)(::|$)|(AT|TORCH|C10|PYBIND11)_[A-Z])`), false, true},
	gpuLibrary("cuBLAS", `^cublas`, `^(cublas|CUBLAS_)`),
	gpuLibrary("cuFFT", `^cufft`, `^(cufft|CUFFT_)`),
	gpuLibrary("cuSPARSE", `^cusparse`, `^(cusparse|CUSPARSE_)`),
	gpuLibrary("cuSOLVER", `^cusolver`, `^(cusolver|CUSOLVER_)`),
	gpuLibrary("cuDNN", `^cudnn`, `^(cudnn|CUDNN_)`),
	gpuLibrary("cuTENSOR", `^cutensor`, `^(cutensor|CUTENSOR_)`),
	gpuLibrary("CUTLASS", `^(cutlass|cute)/`, `^(cutlass|cute)::`),
	gpuLibrary("NCCL", `^nccl`, `^(nccl[A-Z]|NCCL_)`),
	gpuLibrary("NVSHMEM", `^nvshmem`, `^nvshmem`),
	gpuLibrary("NPP", `^npp`, `^npp[a-z]`),
	gpuLibrary("nvJPEG", `^nvjpeg`, `^nvjpeg`),
	gpuLibrary("NVRTC", `^nvrtc`, `^nvrtc`),
	gpuLibrary("NVML", `^nvml\.h`, `^nvml[A-Z]`),
	gpuLibrary("CUPTI", `^(cupti|nvperf)`, `^cupti[A-Z]`),
	gpuLibrary("OptiX", `^optix`, `^optix[A-Z]`),
	hostLibrary("Thrust", `^thrust/`, `^thrust(::|$)`),
	hostLibrary("CUB", `^cub/`, `^cub(::|$)`),
	hostLibrary("NVTX", `^(nvToolsExt|nvtx3/)`, `^(nvtx|NVTX_)`),
	hostLibrary("MPI", `^mpi\.h`, `^MPI_`),
	hostLibrary("OpenMP", `^omp\.h`, `^omp_`),
	hostLibrary("OpenGL", `^(GL/|GLFW/|GLUT/|glad/|helper_gl|rendercheck_gl)`, `^(gl[A-Z]|glut[A-Z]|glfw[A-Z]|GL_)`),
	hostLibrary("OpenCV", `^opencv`, `^cv::`),
	hostLibrary("Boost", `^boost/`, `^boost::`),
	hostLibrary("Eigen", `^Eigen/`, `^Eigen::`),
	hostLibrary("HDF5", `^hdf5`, `^H5[A-Z]`),
	hostLibrary("GoogleTest", `^(gtest|gmock)/`, `^testing::`),
	hostLibrary("Google Benchmark", `^benchmark/benchmark\.h`, `^benchmark::`),
	hostLibrary("the CUDA samples", `^(helper_(cuda|functions|image|math|string|timer)|exception)\.h`, `^(sdk[A-Z]|findCudaDevice$|compareData)`),
}

func libraryOfHeader(header string) *library {
	for i := range libraries {
		if libraries[i].headers.MatchString(header) {
			return &libraries[i]
		}
	}
	return nil
}

func libraryOfName(name string) *library {
	for i := range libraries {
		if libraries[i].names.MatchString(name) {
			return &libraries[i]
		}
	}
	return nil
}

// cudaHeader are the headers that are CUDA's own.
var cudaHeader = regexp.MustCompile(`^(cuda(_runtime|_fp|_bf16|_gl_|_vdpau_|_egl_|_d3d|_profiler_api|_pipeline|_awbarrier|_occupancy|_texture|_surface|_device|_stdint|GL|EGL|Typedefs|VDPAU|D3D|ProfilerTyp|\.h|/)` +
	`|cooperative_groups|cuComplex|curand|mma\.h|nv/|crt/|sm_\d|math_constants\.h|math_functions|device_|driver_types|driver_functions|vector_(types|functions)|texture_|surface_|channel_descriptor|builtin_types|common_functions|library_types|host_(config|defines)|cudalibxt|fatbinary)`)

// cudaName are the names that CUDA predeclares or declares in its headers.
var cudaName = regexp.MustCompile(`^(cuda[A-Z_]|cu[A-Z]|CU[A-Z]?[A-Z_]|CUDA|curand|CURAND_|__|tex([123]D|Cubemap|ture)|surf([123]D|Cubemap|ace)|atomic[A-Z]|make_[a-z]+[1-4]$` +
	`|(wmma|nvcuda|cooperative_groups|cuda)(::|$)|h(add|sub|mul|fma|div|exp|log|sqrt|rsqrt|sin|cos)2?$|clock64$|globaltimer$|nanosleep$|half2?$|nv_bfloat16)`)

// headerName returns what #include would call an installed header.
func headerName(path string) string {
	path = filepath.ToSlash(path)
	for _, root := range []string{"/include/", "/include-fixed/"} {
		if i := strings.LastIndex(path, root); i >= 0 {
			return path[i+len(root):]
		}
	}
	return filepath.Base(path)
}
