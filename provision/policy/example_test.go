package policy_test

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/dynastay/dynastay/provision/policy"
)

// A service shows search results, and may therefore read the cards of properties and their nights, by the indexes that a
// search uses.
func Example() {
	service := policy.Policy{Role: policy.Reader, Repositories: []string{"properties/search"}}
	document, err := service.Document(policy.Account{Region: "eu-central-1", ID: "123456789012", Prefix: "prod-"})
	if err != nil {
		log.Fatal(err)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(document); err != nil {
		log.Fatal(err)
	}
	get := policy.Need{Action: "PutItem", Table: "Properties"}.Request(policy.Account{Region: "eu-central-1", ID: "123456789012", Prefix: "prod-"})
	fmt.Println(document.Allows(get))

	// Output:
}
