package command

import (
	"os"
	"strconv"
	"strings"
)

// visible is what CUDA_VISIBLE_DEVICES is set to for a device. What a person has
// set it to says which devices there are: the indices count in that.
func visible(device int) string {
	set, is := os.LookupEnv("CUDA_VISIBLE_DEVICES")
	if !is {
		return strconv.Itoa(device)
	}
	if all := strings.Split(set, ","); device < len(all) {
		return strings.TrimSpace(all[device])
	}
	return ""
}
