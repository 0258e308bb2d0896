// Package arrows holds the rule of which package may import which, as a test.
package arrows
