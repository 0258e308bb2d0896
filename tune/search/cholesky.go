package search

import "math"

// cholesky is the lower triangle L of a positive definite matrix L·Lᵀ, by rows.
// Written out here, as the same sums in the same order give the same bits on
// every machine, which a library that is tuned for each doesn't promise.
type cholesky [][]float64

// factor factors an n×n matrix.
func factor(n int, at func(i, j int) float64) cholesky {
	l := make(cholesky, n)
	for i := range l {
		l[i] = make([]float64, i+1)
		for j := range l[i] {
			sum := at(i, j)
			other := l[j][:j]
			for k, v := range l[i][:j] {
				sum -= float64(v * other[k]) // not fused
			}
			if i == j {
				l[i][j] = math.Sqrt(max(sum, 1e-12))
			} else {
				l[i][j] = sum / l[j][j]
			}
		}
	}
	return l
}

// solveInto solves L·x = b; x may be b.
func (l cholesky) solveInto(x, b []float64) {
	for i, row := range l {
		sum := b[i]
		for k, v := range row[:i] {
			sum -= float64(v * x[k])
		}
		x[i] = sum / row[i]
	}
}

// logDeterminant returns the logarithm of L·Lᵀ's determinant.
func (l cholesky) logDeterminant() float64 {
	sum := 0.0
	for i := range l {
		sum += 2 * math.Log(l[i][i])
	}
	return sum
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}
