// Mutation changes the source where an invariant depends on it, one place after another, and runs the tests that must
// notice it. It fails if one does not. Its argument is a regexp for the file and the purpose of the mutations to make;
// without one, it makes all, which takes about half a minute for each.
//
//	go run ./internal/testing/mutation [regexp]
//
// The files themselves are not edited. A new rule of the write path needs its mutation in write.txt; those of prices,
// refunds and the front desk are in money.txt, those of rate plans in rates.txt, those of bookings under them in lines.txt,
// those of searches under them in search.txt, those of how charges are computed in charges.txt, of how they are stored in
// stored_charges.txt, of bookings with them in bills.txt, of what is due when in instalments.txt, of rooms one by one in units.txt and
// out_of_order.txt, of tables as they must be in provision.txt, of permissions in policy.txt, of what
// observers are told in observe.txt, of walks and adoptions in migrate.txt, and those of the tests of services in service.txt.
package main

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
)

//go:embed *.txt
var files embed.FS

func lists() string {
	names, err := files.ReadDir(".")
	if err != nil {
		panic(err) // they are in the program
	}
	var all []string
	for _, file := range names {
		list, err := files.ReadFile(file.Name())
		if err != nil {
			panic(err)
		}
		all = append(all, string(list))
	}
	return strings.Join(all, "\n")
}

// mutation replaces a text that occurs once in a file.
type mutation struct {
	breaks        string // what it breaks
	file          string
	before, after string
	in, run       string // a package, and the -run pattern of the tests that notice it
}

func (m mutation) String() string { return m.file + ": " + m.breaks }

// parse reads blocks that are separated by blank lines. Lines of the source keep their indentation; several of them are
// one text.
//
//	# what it breaks, if the change does not say it
//	file
//	- before
//	+ after
//	package -run pattern
func parse(list string) (all []mutation, err error) {
	for block := range strings.SplitSeq(strings.TrimSpace(list), "\n\n") {
		var m mutation
		var before, after []string
		for line := range strings.SplitSeq(block, "\n") {
			switch mark, text, _ := strings.Cut(line, " "); {
			case mark == "#":
				m.breaks = text
			case mark == "-":
				before = append(before, text)
			case mark == "+":
				after = append(after, text)
			case m.file == "":
				m.file = line
			default:
				m.in, m.run = mark, text
			}
		}
		m.before, m.after = strings.Join(before, "\n"), strings.Join(after, "\n")
		if m.breaks == "" {
			m.breaks = strings.TrimSpace(m.before) + " -> " + strings.TrimSpace(m.after)
		}
		if m.before == "" || m.before == m.after || m.run == "" {
			return nil, fmt.Errorf("incomplete block:\n%s", block)
		}
		all = append(all, m)
	}
	return all, nil
}

// apply returns the text of the mutation's file after it.
func (m mutation) apply(root string) (string, error) {
	source, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(source), m.before); n != 1 {
		return "", fmt.Errorf("%s: %q occurs %d times", m, m.before, n)
	}
	return strings.Replace(string(source), m.before, m.after, 1), nil
}

// survives reports whether the mutation's tests pass. Anything but a failed test is an error.
func (m mutation) survives(root string) (bool, error) {
	text, err := m.apply(root)
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, m.file): changed}})
	if err := errors.Join(err, os.WriteFile(changed, []byte(text), 0o600), os.WriteFile(overlay, replaced, 0o600)); err != nil {
		return false, err
	}
	// A mutation may keep a test from ending: that is noticed as well.
	test := exec.Command("go", "test", "-count=1", "-failfast", "-timeout", "3m", "-overlay", overlay, "-run", m.run, m.in)
	test.Dir = root
	out, err := test.CombinedOutput()
	switch printed := string(out); {
	case strings.Contains(printed, "no tests to run"):
		return false, fmt.Errorf("%s: no test of %s matches %s", m, m.in, m.run)
	case err == nil:
		return true, nil
	case strings.Contains(printed, "--- FAIL") || strings.Contains(printed, "panic: "):
		return false, nil
	default:
		return false, fmt.Errorf("%s: %w\n%s", m, err, printed)
	}
}

func main() {
	chosen := regexp.MustCompile(strings.Join(os.Args[1:], "|"))
	root, err := filepath.Abs(".")
	if err != nil {
		log.Fatal(err)
	}
	all, err := parse(lists())
	if err != nil {
		log.Fatal(err)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	made, bad := 0, 0
	free := make(chan struct{}, runtime.NumCPU())
	for _, m := range all {
		if !chosen.MatchString(m.String()) {
			continue
		}
		made++
		free <- struct{}{}
		group.Go(func() {
			defer func() { <-free }()
			survives, err := m.survives(root)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				fmt.Println("ERROR   ", err)
				bad++
			case survives:
				fmt.Println("SURVIVED", m)
				bad++
			default:
				fmt.Println("noticed ", m)
			}
		})
	}
	group.Wait()
	if fmt.Printf("%d mutations, %d not noticed\n", made, bad); made == 0 || bad > 0 {
		os.Exit(1)
	}
}
