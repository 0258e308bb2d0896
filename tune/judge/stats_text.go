package judge

import "fmt"

// Milliseconds returns a time in milliseconds as text with four digits, "12.34 ms".
func Milliseconds(t float64) string {
	if t >= 1000 {
		return fmt.Sprintf("%.0f ms", t)
	}
	return fmt.Sprintf("%.4g ms", t)
}
