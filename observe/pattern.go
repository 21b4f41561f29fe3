package observe

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// The table is written by the test that pins the requests of every pattern, so that no method has to name its own.
//
//go:embed patterns.json
var table []byte

var patterns = sync.OnceValue(func() (all map[string]string) {
	if err := json.Unmarshal(table, &all); err != nil {
		panic(err) // the file is part of the package
	}
	return all
})

// Pattern returns the documented pattern that an operation carries out, such as "P8" for properties.BySlug, see
// docs/patterns.md. It is "" for an operation that carries out none, and for those of services.
func Pattern(operation string) string { return patterns()[operation] }
