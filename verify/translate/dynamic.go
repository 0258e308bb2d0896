package translate

import "fmt"

// extern __shared__ T s[][16]; becomes, on its line,
//
//	typedef T smux_t1_s[][16]; smux_t1_s &s = *(smux_t1_s *)::smux_cpu_dynamic_shared();
//
// whatever T is and however many such declarations there are: they all name the
// one array, which is at the same address in the whole run. So at namespace
// scope the reference can be made before main.

// dynamicReference declares a dynamic shared array of a type that is named.
func dynamicReference(static, typ, name string) string {
	return fmt.Sprintf(" %s%s &%s = *(%s *)::smux_cpu_dynamic_shared();", static, typ, name, typ)
}
