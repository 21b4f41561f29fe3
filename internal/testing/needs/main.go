// Needs compares what the methods of the repositories were seen to need permissions for, in the tests that ran with
// DYNTEST_NEEDS=DIR, with provision/policy/needs.json, of which the policies are made:
//
//	go run ./internal/testing/needs DIR
//
// It fails if a method needs more. With -update, it writes the file anew: DIR must then be that of all tests.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/listingkeys"
	"github.com/dynastay/dynastay/keys/venuekeys"
	"github.com/dynastay/dynastay/provision/policy"
)

const file = "provision/policy/needs.json"

// adding are methods that add to a transaction of their caller, which sends it. They read only for that.
var adding = []string{
	"availability.Repository.ChangeCurrency", "availability.Sale.Add", "availability.SalesMove.Add", "availability/units.Repository.PutBack",
	"availability/units.Repository.TakeOut", "properties.Repository.AddRating",
}

func main() {
	log.SetFlags(0)
	update := flag.Bool("update", false, "write "+file)
	flag.Parse()
	seen, err := read(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	maps.DeleteFunc(seen, func(method string, _ []string) bool { return slices.Contains(adding, method) })
	if *update {
		text, err := json.MarshalIndent(seen, "", "\t")
		if err == nil {
			err = os.WriteFile(file, append(text, '\n'), 0o644)
		}
		if err != nil {
			log.Fatal(err)
		}
		return
	}
	more := missing(seen, policy.Methods())
	fmt.Printf("%d methods were called.\n", len(seen))
	if len(more) > 0 {
		log.Fatalf("%s does not have, see CONTRIBUTING.md:\n%s", file, strings.Join(more, "\n"))
	}
}

// read returns the needs by method that the tests have noted in a directory.
func read(dir string) (map[string][]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has nothing that tests have noted", dir)
	}
	lines := map[string]bool{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			lines[string(bytes.TrimSpace(line))] = true
		}
	}
	needs := map[string][]string{}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		method, text, _ := strings.Cut(line, "\t")
		var n policy.Need
		if err := n.UnmarshalText([]byte(text)); err != nil {
			return nil, err
		}
		switch {
		case policy.OfStream(n.Action):
			n.Table = "*" // tests read the streams of their own tables
		case !ours(n.Table):
			continue
		}
		if text = n.String(); !slices.Contains(needs[method], text) {
			needs[method] = append(needs[method], text)
		}
	}
	return needs, nil
}

// ours reports whether a table is one of the library's, and not of a test.
func ours(table string) bool {
	for _, s := range append(keys.Tables(), listingkeys.Table, venuekeys.Table) {
		if s.Name == table {
			return true
		}
	}
	return false
}

// missing returns what was seen but is not known, sorted.
func missing(seen map[string][]string, known map[string][]policy.Need) (all []string) {
	for method, needs := range seen {
		for _, need := range needs {
			if !slices.ContainsFunc(known[method], func(n policy.Need) bool { return n.String() == need }) {
				all = append(all, method+" "+need)
			}
		}
	}
	slices.Sort(all)
	return all
}
