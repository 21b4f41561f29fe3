// Needs compares what the methods of the repositories were seen to need permissions for, in the tests that ran with
// DYNTEST_NEEDS=DIR, with provision/policy/needs.json, of which the policies are made:
//
//	go run ./internal/testing/needs DIR
//
// It fails if a policy would refuse what was sent, or if a method is no operation of its own for an observer. With -update, it writes the file anew: DIR must then be that of all tests.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
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
	"availability/units.Repository.OutOfOrderAsRead", "availability/units.Repository.TakeOut", "properties.Repository.AddRating",
}

func main() {
	log.SetFlags(0)
	update := flag.Bool("update", false, "write "+file)
	flag.Parse()
	seen, operations, err := read(flag.Arg(0))
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
	if unnamed := unnamed(operations); len(unnamed) > 0 {
		log.Fatalf("these methods need a DB.Begin with a name of their own, see CONTRIBUTING.md:\n%s", strings.Join(unnamed, "\n"))
	}
	if len(more) > 0 {
		log.Fatalf("policies made of %s would refuse, see CONTRIBUTING.md:\n%s", file, strings.Join(more, "\n"))
	}
}

// read returns the needs by method that the tests have noted in a directory, and the operations that an observer was told
// of when the method was called.
func read(dir string) (needs, operations map[string][]string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, nil, err
	}
	if len(files) == 0 {
		return nil, nil, fmt.Errorf("%s has nothing that tests have noted", dir)
	}
	lines := map[string]bool{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, nil, err
		}
		for line := range bytes.Lines(text) {
			lines[string(bytes.TrimSpace(line))] = true
		}
	}
	needs, operations = map[string][]string{}, map[string][]string{}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		method, text, _ := strings.Cut(line, "\t")
		if operation, is := strings.CutPrefix(text, "@"); is {
			operations[method] = append(operations[method], operation)
			continue
		}
		var n policy.Need
		if action, _, _ := strings.Cut(text, " "); policy.OfStream(action) {
			n = policy.Need{Action: action, Table: "*"} // tests read the streams of their own tables, whose names not every iterator has
		} else if err := n.UnmarshalText([]byte(text)); err != nil {
			return nil, nil, err
		} else if !ours(n.Table) {
			continue
		}
		if text = n.String(); !slices.Contains(needs[method], text) {
			needs[method] = append(needs[method], text)
		}
	}
	return needs, operations, nil
}

// within are methods that are called within others: erasers by users.Erase, and the rest of a move by the method that
// began it. It also has those of the public views, which have the names of the methods that they call.
var within = regexp.MustCompile(`\.(Eraser|Public|SalesMove)\.`)

// unnamed returns the methods whose requests belong to no operation with a name, or only to operations of other methods.
func unnamed(operations map[string][]string) (all []string) {
	methods := map[string]int{}
	for method, names := range operations {
		for _, name := range names {
			if !within.MatchString(method) {
				methods[name]++
			}
		}
	}
	for method, names := range operations {
		words := strings.Split(path.Base(method), ".")
		its := words[0] + "." + words[len(words)-1]
		own := slices.ContainsFunc(names, func(name string) bool { return methods[name] == 1 || name == its })
		at := slices.IndexFunc(names, func(name string) bool { return strings.Contains(name, " ") && !strings.Contains(name, " + ") })
		switch {
		case at >= 0:
			all = append(all, method+": "+names[at])
		case !own && !within.MatchString(method):
			all = append(all, method+": "+strings.Join(names, ", "))
		}
	}
	slices.Sort(all)
	return all
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

// missing returns what was seen but would be refused, sorted: by the policies of the package that are made of what is known, or
// because the method is not known. A method may need on a rare path what others of its package need every day: that is known
// well enough.
func missing(seen map[string][]string, known map[string][]policy.Need) (all []string) {
	for method, needs := range seen {
		allowed, ofUser := policyOf(method, known)
		for _, text := range needs {
			var n policy.Need
			if err := n.UnmarshalText([]byte(text)); err != nil {
				panic(err) // it has been read before
			}
			own := n.Own
			if n.Own = false; !allowed[n] || ofUser && !own {
				all = append(all, method+" "+text)
			}
		}
	}
	slices.Sort(all)
	return all
}

// policyOf returns what a program is allowed that calls a method: as a reader of one user's data if that is enough for what
// is known of the method, as a reader of all, or as an application.
func policyOf(method string, known map[string][]policy.Need) (allowed map[policy.Need]bool, ofUser bool) {
	allowed = map[policy.Need]bool{}
	if len(known[method]) == 0 {
		return allowed, false
	}
	repository := func(method string) string { dir, _, _ := strings.Cut(method, "."); return dir }
	kind := kindOf(known[method])
	for other, needs := range known {
		if repository(other) == repository(method) && kindOf(needs) <= kind {
			for _, n := range needs {
				n.Own = false
				allowed[n] = true
			}
		}
	}
	return allowed, kind == 0
}

// kindOf returns 0 if the needs are those of a reader of one user's data, 1 for a reader, 2 for an application.
func kindOf(needs []policy.Need) int {
	kind := 0
	for _, n := range needs {
		switch {
		case n.Action != "GetItem" && n.Action != "BatchGetItem" && n.Action != "Query":
			return 2
		case !n.Own:
			kind = 1
		}
	}
	return kind
}
