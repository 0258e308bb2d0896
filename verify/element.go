package verify

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

// element is the type of a copy's elements, as far as the pointer that was
// passed told it. The numbers are those of smux_cpu::element in abi.h.
type element uint32

const (
	elementBytes element = iota
	elementF32
	elementF64
	elementF16
	elementBF16
	elementI8
	elementU8
	elementI16
	elementU16
	elementI32
	elementU32
	elementI64
	elementU64
)

var elementNames = []string{"byte", "float", "double", "half", "bfloat16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"}

func (e element) String() string {
	if int(e) < len(elementNames) {
		return elementNames[e]
	}
	return "byte"
}

// size returns the number of bytes of an element.
func (e element) size() int {
	switch e {
	case elementF64, elementI64, elementU64:
		return 8
	case elementF32, elementI32, elementU32:
		return 4
	case elementF16, elementBF16, elementI16, elementU16:
		return 2
	}
	return 1
}

// float returns the value of a floating element.
func (e element) float(p []byte) float64 {
	switch e {
	case elementF64:
		return math.Float64frombits(binary.LittleEndian.Uint64(p))
	case elementF32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(p)))
	case elementBF16:
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(p)) << 16))
	}
	return half(binary.LittleEndian.Uint16(p))
}

// half returns the value of an IEEE half.
func half(bits uint16) float64 {
	sign := 1.0
	if bits>>15 != 0 {
		sign = -1
	}
	exponent, fraction := int(bits>>10&31), float64(bits&0x3ff)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// text returns an element as a person reads it: enough digits to tell it from its
// neighbours, and the bits of what has no digits.
func (e element) text(p []byte) string {
	u := uintOf(p)
	shift := 64 - 8*len(p)
	switch e {
	case elementF32, elementF64:
		v := e.float(p)
		if math.IsNaN(v) {
			return fmt.Sprintf("nan (0x%x)", u)
		}
		return strconv.FormatFloat(v, 'g', -1, 8*len(p))
	case elementF16, elementBF16:
		v := e.float(p)
		if math.IsNaN(v) {
			return fmt.Sprintf("nan (0x%x)", u)
		}
		return strconv.FormatFloat(v, 'g', 5, 64)
	case elementI8, elementI16, elementI32, elementI64:
		return strconv.FormatInt(int64(u<<shift)>>shift, 10)
	case elementU8, elementU16, elementU32, elementU64:
		return strconv.FormatUint(u, 10)
	}
	return fmt.Sprintf("0x%02x", u)
}

// uintOf returns a little-endian number of up to eight bytes.
func uintOf(p []byte) (u uint64) {
	for i := len(p) - 1; i >= 0; i-- {
		u = u<<8 | uint64(p[i])
	}
	return u
}
