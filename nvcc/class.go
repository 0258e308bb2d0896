package nvcc

import (
	"strconv"
	"strings"
)

// class is the kind that an instruction is counted as.
type class uint8

const (
	other class = iota // moves, special registers, votes, shuffles: only issued
	integer
	float
	double
	special
	tensor
	sharedLoad
	sharedStore
	sharedAtomic
	globalLoad
	globalStore
	globalAtomic
	copyToShared // from global memory, without a register
	localLoad
	localStore
	constantLoad
	texture
	barrier
	branch
)

// classes are the instructions of all architectures from sm_35 on, by the part of the opcode before the first point.
// Their meaning is from the instruction set reference of NVIDIA's "CUDA Binary Utilities". Conversions and bit counts
// go through the special function unit's pipe, at its rate.
var classes = byOpcode(map[class]string{
	integer: `IADD IADD3 IADD32I ISUB ISCADD ISCADD32I IMAD IMAD32I IMADSP IMUL IMUL32I IMNMX VIMNMX VIMNMX3 VIADD VIADDMNMX ISETP ISET ICMP
		LEA LEPC LOP LOP3 LOP32I PLOP3 PSETP PSET SHF SHL SHR BFE BFI SGXT BMSK IABS IDP IDP4A ISAD XMAD PRMT SEL VABSDIFF VABSDIFF4
		VADD VMAD VSET VSETP VSHL VSHR VMNMX P2R R2P CSET CSETP
		UIADD3 UIMAD UISETP ULEA ULOP ULOP3 ULOP32I UPLOP3 UPSETP USEL USHF USHL USHR UPRMT USGXT UBMSK UIABS UIMNMX UVIADD UVIMNMX UP2UR UR2UP UFLO`,
	float: `FADD FADD2 FADD32I FMUL FMUL2 FMUL32I FFMA FFMA2 FFMA32I FMNMX FMNMX3 FSETP FSET FCMP FSEL FCHK FSWZ FSWZADD RRO
		HADD2 HADD2_32I HMUL2 HMUL2_32I HFMA2 HFMA2_32I HSET2 HSETP2 HMNMX2 UFADD UFMUL UFFMA UFMNMX UFSEL UFSET UFSETP`,
	double:       `DADD DMUL DFMA DSETP DSET DMNMX`,
	special:      `MUFU I2F I2FP F2I F2IP F2F F2FP I2I I2IP FRND POPC FLO BREV UPOPC UBREV UF2I UI2F UI2FP UF2FP UFRND`,
	tensor:       `HMMA IMMA DMMA BMMA QMMA OMMA HGMMA IGMMA QGMMA BGMMA UTCHMMA UTCIMMA UTCQMMA UTCOMMA UTCMMA`,
	sharedLoad:   `LDS LDSM LDSLK`,
	sharedStore:  `STS STSM STSCUL STSUL`,
	sharedAtomic: `ATOMS`,
	globalLoad:   `LDG LD LDE`,
	globalStore:  `STG ST STE`,
	globalAtomic: `ATOM ATOMG RED REDG`,
	copyToShared: `LDGSTS`,
	localLoad:    `LDL LDLK`,
	localStore:   `STL`,
	constantLoad: `LDC LDCU ULDC`,
	texture:      `TEX TEXS TLD TLDS TLD4 TLD4S TXD TXQ TMML SULD SUST SUATOM SURED SUBFM SUCLAMP SUEAU SULDGA SUSTGA SULEA SUQ SUDF`,
	barrier:      `BAR`,
	branch:       `BRA BRX BRXU JMP JMX JMXU JCAL CAL CALL RET PRET EXIT BRK PBK CONT PCNT SSY SYNC BSSY BSYNC BREAK KILL BPT WARPSYNC`,
})

func byOpcode(lists map[class]string) map[string]class {
	out := map[string]class{}
	for c, names := range lists {
		for _, name := range strings.Fields(names) {
			out[name] = c
		}
	}
	return out
}

// classOf returns the class of an opcode with its suffixes.
func classOf(opcode string) class {
	base, suffix, _ := strings.Cut(opcode, ".")
	// A move that the multiplier does is a move all the same.
	if base == "IMAD" && strings.HasPrefix(suffix, "MOV") {
		return other
	}
	return classes[base]
}

// width returns the number of bytes that one thread moves by a load or store.
func width(opcode string) int {
	base, suffixes, _ := strings.Cut(opcode, ".")
	bytes := 4
	for s := range strings.SplitSeq(suffixes, ".") {
		switch s {
		case "U8", "S8":
			bytes = 1
		case "U16", "S16":
			bytes = 2
		case "64", "128", "256":
			bits, _ := strconv.Atoi(s)
			bytes = bits / 8
		case "2", "4": // LDSM, STSM: matrices of one register each
			if base == "LDSM" || base == "STSM" {
				bytes, _ = strconv.Atoi(s)
				bytes *= 4
			}
		}
	}
	return bytes
}

// counted holds what an instruction of a class adds to the counts, bytes aside.
var counted = [branch + 1]Counts{
	integer: {Integer: 1}, float: {Float: 1}, double: {Double: 1}, special: {Special: 1}, tensor: {Tensor: 1},
	sharedLoad: {SharedLoads: 1}, sharedStore: {SharedStores: 1}, sharedAtomic: {SharedAtomics: 1},
	globalLoad: {GlobalLoads: 1}, globalStore: {GlobalStores: 1}, globalAtomic: {GlobalAtomics: 1}, copyToShared: {GlobalLoads: 1, SharedStores: 1},
	localLoad: {LocalLoads: 1}, localStore: {LocalStores: 1}, constantLoad: {ConstantLoads: 1}, texture: {TextureLoads: 1},
	barrier: {Barriers: 1}, branch: {Branches: 1},
}

// countOf returns what one instruction adds to the counts.
func countOf(opcode string) Counts {
	c, bytes := counted[classOf(opcode)], width(opcode)
	c.Issue = 1
	c.SharedLoadBytes, c.SharedStoreBytes = bytes*c.SharedLoads, bytes*c.SharedStores
	c.GlobalLoadBytes, c.GlobalStoreBytes = bytes*c.GlobalLoads, bytes*c.GlobalStores
	return c
}
