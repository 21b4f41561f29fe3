package api_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// contract is what the description says that there is: each operation with each of its statuses, such as "book 201". The client refuses
// any answer that it does not say. What no test has reached is in missing.
var contract = newContract()

type contracts struct {
	operations *http.ServeMux
	mu         sync.Mutex
	missing    map[string]bool
}

// operation has an id, and serves nothing.
type operation string

func (operation) ServeHTTP(http.ResponseWriter, *http.Request) {}

func newContract() *contracts {
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID operation
			Responses   map[string]any
		}
	}
	text, err := os.ReadFile("../client/openapi.json")
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if err != nil {
		panic(err)
	}
	c := &contracts{operations: http.NewServeMux(), missing: map[string]bool{}}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			c.operations.Handle(strings.ToUpper(method)+" "+path, op.OperationID)
			for status := range op.Responses {
				if status != "default" {
					c.missing[string(op.OperationID)+" "+status] = true
				}
			}
		}
	}
	return c
}

func (c *contracts) reached(r *http.Request, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if op, is := c.operations.Handler(r); is != "" {
		delete(c.missing, string(op.(operation))+" "+strconv.Itoa(status))
	}
}

// If all tests run, they reach all that the description promises.
func TestMain(m *testing.M) {
	code := m.Run()
	all := true
	for _, name := range []string{"test.run", "test.skip", "test.list"} {
		all = all && flag.Lookup(name).Value.String() == ""
	}
	if all && code == 0 && len(contract.missing) > 0 {
		fmt.Println("FAIL: no test reaches", slices.Sorted(maps.Keys(contract.missing)))
		code = 1
	}
	os.Exit(code)
}
