package finding

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// rulesOf returns the rules of some findings, by name. A rule's level is the highest that
// it is found with.
func rulesOf(found []Finding) []rule {
	out := []rule{}
	for _, f := range byImportance(found) {
		if !slices.ContainsFunc(out, func(r rule) bool { return r.ID == string(f.Rule) }) {
			out = append(out, ruleOf(f.Rule, f.Level))
		}
	}
	slices.SortFunc(out, func(a, b rule) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// ruleOf describes a code as package diag documents it.
func ruleOf(code diag.Code, level Level) rule {
	r := rule{ID: string(code), Name: camel(string(code)), HelpURI: URL(code), DefaultConfiguration: configuration{string(level)}}
	d, ok := diag.Lookup(code)
	if !ok {
		return r
	}
	text := strings.TrimSpace(d.Text)
	r.ShortDescription = &message{Text: d.Title}
	r.FullDescription = &message{Text: clipped(unfolded(text))}
	help := text
	if d.Help != "" {
		help += "\n\nHelp: " + d.Help + "."
	}
	r.Help = &message{
		Text:     help + section("Example", d.Example) + section("Fix", d.Fix),
		Markdown: help + fenced("Example", d.Example) + fenced("Fix", d.Fix),
	}
	return r
}

func section(title, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return "\n\n" + title + ":\n\n" + text
}

// fenced returns a section of code, whose own back quotes do not end it.
func fenced(title, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return "\n\n**" + title + "**\n\n" + fence + "cuda\n" + text + "\n" + fence
}

// unfolded joins the lines of each paragraph.
func unfolded(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(p), " ")
	}
	return strings.Join(paragraphs, "\n\n")
}

// mostDescribed is the number of bytes of a description that GitHub takes.
const mostDescribed = 1000

// clipped returns as many whole sentences of a text as a description may have.
func clipped(text string) string {
	if len(text) <= mostDescribed {
		return text
	}
	text = text[:mostDescribed]
	return text[:strings.LastIndex(text, ". ")+1]
}

// camel returns a code as a name: NoGain for no-gain.
func camel(code string) string {
	var out strings.Builder
	for _, word := range strings.Split(code, "-") {
		if word != "" {
			out.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return out.String()
}
