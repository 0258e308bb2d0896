package kit

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
)

// The comments at the two ends of a region, which say what its turn is for:
//
//	vtb.acquire();  // guards As and Bs
//	…
//	vtb.release();  // As and Bs
//
// They end a line, so they go only if nothing follows on it.
const (
	guardsComment   = "  // guards %s"
	releasedComment = "  // %s"
	turnsComment    = "  // turns with %s"
)

// Guards, Released and Turns return the comments for a region.

func Guards(r *analysis.Region) string   { return about(guardsComment, r) }
func Released(r *analysis.Region) string { return about(releasedComment, r) }
func Turns(r *analysis.Region) string    { return about(turnsComment, r) }

func about(comment string, r *analysis.Region) string {
	names := ArrayNames(r.Arrays)
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(comment, diag.AndList(names))
}

// closed is a line with a closing brace after its last statement.
func closed(line string) string {
	code, comment, found := strings.Cut(line, "  //")
	if !found {
		return line + " }"
	}
	return code + " }  //" + comment
}

// ArrayNames are the names of shared variables, each once.
func ArrayNames(arrays []*analysis.Shared) []string {
	var names []string
	seen := map[string]bool{}
	for _, s := range arrays {
		if !seen[s.Name] {
			seen[s.Name] = true
			names = append(names, s.Name)
		}
	}
	return names
}
