package main

import (
	"encoding/json"

	"github.com/dynastay/dynastay/provision/policy"
)

type policyCommand struct {
	Role       policy.Role   `arg:"" enum:"reader,application,worker,auditor,operator" help:"reader, application, worker, auditor or operator: see docs/permissions.md."`
	Repository []string      `help:"The packages that the program uses, such as bookings,availability/units." placeholder:"PACKAGE"`
	Also       []policy.Need `help:"What it needs besides, such as 'PutItem Outbox'." placeholder:"NEED"`
	User       string        `help:"Allow a reader only what belongs to this user, an id or a policy variable." placeholder:"ID"`
	Prefix     string        `help:"What the names of the tables begin with." placeholder:"prod-"`
	Suffix     string        `help:"What the names of the tables end with."`
	Region     string        `required:"" help:"The region of the tables, or * for any." placeholder:"REGION"`
	Account    string        `required:"" help:"The account of the tables." placeholder:"ID"`
	Partition  string        `help:"The partition of AWS, such as aws-cn." default:"aws"`
}

// Run writes the policy.
func (c policyCommand) Run(p *program) error {
	document, err := policy.Policy{Role: c.Role, Repositories: c.Repository, Also: c.Also, User: c.User}.Document(policy.Account{
		Partition: c.Partition, Region: c.Region, ID: c.Account, Prefix: c.Prefix, Suffix: c.Suffix,
	})
	if err != nil {
		return err
	}
	out := json.NewEncoder(p.out)
	out.SetIndent("", "  ")
	return out.Encode(document)
}
