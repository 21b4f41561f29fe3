package main

import (
	"fmt"

	"github.com/dynastay/dynastay/provision"
)

type checkCommand struct {
	Prefix   string `help:"What the names of the tables begin with." placeholder:"prod-"`
	Suffix   string `help:"What the names of the tables end with."`
	Settings string `help:"A JSON file with settings by the names of the tables." type:"existingfile" placeholder:"FILE"`
	account
	JSON bool `help:"Print the answers as JSON."`
}

// Run answers the checklist of the hotel document.
func (c checkCommand) Run(p *program) error {
	reports, err := look(p, declared{Prefix: c.Prefix, Suffix: c.Suffix, Settings: c.Settings, System: []string{"hotel"}}, c.account)
	if err != nil {
		return err
	}
	var result error
	checks := provision.Checklist(reports)
	for _, check := range checks {
		if check.Answer == provision.Missing {
			result = errDiffers
		}
	}
	if c.JSON {
		return p.printJSON(checks, result)
	}
	phase := ""
	for _, check := range checks {
		if check.Phase != phase {
			phase = check.Phase
			fmt.Fprintf(p.out, "Phase %s\n", phase)
		}
		fmt.Fprintf(p.out, "  %s: %s. %s\n", check.What, p.paint.answer(check.Answer), check.Why)
	}
	return result
}

func (p paint) answer(a provision.Answer) string {
	switch a {
	case provision.Fulfilled:
		return p.good(a)
	case provision.Missing:
		return p.bad(a)
	}
	return p.warn(a)
}
