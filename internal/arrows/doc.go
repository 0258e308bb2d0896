// Package arrows holds rules of this repository as tests: which package may import which,
// what action.yml promises, and what a release needs.
package arrows
