//go:build !unix

package store

func signals() func() { return func() {} }
