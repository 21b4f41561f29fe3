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
	account := policy.Account{Region: "eu-central-1", ID: "123456789012", Prefix: "prod-"}
	document, err := service.Document(account)
	if err != nil {
		log.Fatal(err)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(document); err != nil {
		log.Fatal(err)
	}
	put := policy.Need{Action: "PutItem", Table: "Properties"}
	fmt.Println("may write:", document.Allows(put.Request(account)))

	// Output:
	// {
	//   "Version": "2012-10-17",
	//   "Statement": [
	//     {
	//       "Effect": "Allow",
	//       "Action": [
	//         "dynamodb:BatchGetItem"
	//       ],
	//       "Resource": [
	//         "arn:aws:dynamodb:eu-central-1:123456789012:table/prod-Availability"
	//       ]
	//     },
	//     {
	//       "Effect": "Allow",
	//       "Action": [
	//         "dynamodb:Query"
	//       ],
	//       "Resource": [
	//         "arn:aws:dynamodb:eu-central-1:123456789012:table/prod-Availability/index/GSI1-PropertyDateIndex",
	//         "arn:aws:dynamodb:eu-central-1:123456789012:table/prod-Properties",
	//         "arn:aws:dynamodb:eu-central-1:123456789012:table/prod-Properties/index/GSI1-LocationIndex",
	//         "arn:aws:dynamodb:eu-central-1:123456789012:table/prod-Properties/index/GSI10-GeohashIndex",
	//         "arn:aws:dynamodb:eu-central-1:123456789012:table/prod-Properties/index/GSI7-PriceIndex",
	//         "arn:aws:dynamodb:eu-central-1:123456789012:table/prod-Properties/index/GSI8-RatingIndex"
	//       ]
	//     }
	//   ]
	// }
	// may write: false
}
