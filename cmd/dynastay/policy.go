package main

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/dynastay/dynastay/provision/policy"
)

type policyCommand struct {
	Role       policy.Role   `arg:"" enum:"reader,application,worker,auditor,operator" help:"reader, application, worker, auditor or operator: see docs/permissions.md."`
	Repository []string      `help:"The packages that the program uses, such as bookings,availability/units." placeholder:"PACKAGE"`
	Also       []policy.Need `help:"What it needs besides, such as 'PutItem Outbox'." placeholder:"NEED"`
	User       *string       `help:"Allow a reader only what belongs to this user, an id or a policy variable." placeholder:"ID"`
	Prefix     string        `help:"What the names of the tables begin with." placeholder:"prod-"`
	Suffix     string        `help:"What the names of the tables end with, as --suffix=-v2."`
	Region     string        `required:"" help:"The region of the tables, or * for any." placeholder:"REGION"`
	Account    string        `required:"" help:"The account of the tables." placeholder:"ID"`
	Partition  string        `help:"The partition of AWS, such as aws-cn." default:"aws"`
}

// Run writes the policy.
func (c policyCommand) Run(p *program) error {
	asked := policy.Policy{Role: c.Role, Also: c.Also}
	for _, name := range c.Repository {
		asked.Repositories = append(asked.Repositories, strings.TrimSpace(name))
	}
	if c.User != nil {
		if *c.User == "" { // of a variable that is not set: the policy would be one for all users
			return errors.New("--user must not be empty")
		}
		asked.User = *c.User
	}
	document, err := asked.Document(policy.Account{
		Partition: c.Partition, Region: c.Region, ID: c.Account, Prefix: c.Prefix, Suffix: c.Suffix,
	})
	if err != nil {
		return err
	}
	out := json.NewEncoder(p.out)
	out.SetIndent("", "  ")
	return out.Encode(document)
}
