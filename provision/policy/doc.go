// Package policy writes IAM policies that allow a program what it needs of the tables, and nothing else:
//
//	booking := policy.Policy{Role: policy.Application, Repositories: []string{"bookings", "availability", "properties"}}
//	document, err := booking.Document(policy.Account{Region: "eu-central-1", ID: "123456789012", Prefix: "prod-"})
//
// A Document is written as JSON, for a role, a user or a permissions boundary:
//
//	text, err := json.MarshalIndent(document, "", "  ")
//
// What a method needs was recorded from the requests that it sent in all tests of the library, including those with
// lost answers, conflicts and rare refusals; [Methods] returns it. A transaction needs the permission of each of its
// actions, among them ConditionCheckItem. A Query of an index needs a permission for the index, not for its table.
// No method needs Scan, or PartiQL.
//
// A service's own tests can run with the permissions that it will have, see dyntest.Permitted.
package policy
