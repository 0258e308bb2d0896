package record

// fields are a decoded line, or an object in it. Numbers are json.Number, so that
// they come through as they were written.
type fields = map[string]any

// migration makes a line of the next schema.
type migration struct {
	from int
	what string // is better, in words
	step func(line fields)
}

// migrations lead from the oldest schema to today's, a step each, in order.
var migrations = []migration{
	{1, "the names of fields say the unit where it is one, and a pair's times are no longer called as the variant is", unitsInNames},
}

// migrate brings a line to today's schema.
func migrate(line fields, schema int) {
	for _, m := range migrations {
		if m.from >= schema {
			m.step(line)
			line["schema"] = m.from + 1
		}
	}
}

func unitsInNames(line fields) {
	rename(line["variant"], "shared", "sharedBytes", "spills", "spillBytes")
	rename(line["pair"], "base", "baseTimes", "variant", "variantTimes")
	if pair, ok := line["pair"].(fields); ok {
		rename(pair["state"], "clockSM", "smMHz", "clockMemory", "memoryMHz", "temperature", "celsius")
	}
}

// rename renames the fields of an object: an old name, the new one, and so on. What
// is not an object is left for the decoder to complain about.
func rename(object any, names ...string) {
	o, ok := object.(fields)
	if !ok {
		return
	}
	for i := 0; i < len(names); i += 2 {
		if v, there := o[names[i]]; there {
			delete(o, names[i])
			o[names[i+1]] = v
		}
	}
}
