package main

import (
	"github.com/goccy/go-yaml"

	"github.com/dynastay/dynastay/provision/template"
)

type templateCommand struct {
	declared
	Form        string `arg:"" enum:"cloudformation,terraform" help:"cloudformation or terraform."`
	YAML        bool   `help:"Write CloudFormation as YAML."`
	Topic       string `help:"The ARN of the SNS topic that the alarms notify." placeholder:"ARN"`
	Application bool   `help:"Add the alarms for the metrics that only the application can send."`
	Backup      string `help:"The name of a vault and plan of daily backups." placeholder:"NAME"`
	BackupDays  int    `help:"How many days a backup is kept." default:"35"`
	CopyTo      string `help:"The ARN of a vault in another region to which backups are copied." placeholder:"ARN"`
}

// Run writes the template.
func (c templateCommand) Run(p *program) error {
	tables, err := c.tables()
	if err != nil {
		return err
	}
	stack := template.Stack{Tables: tables, Topic: c.Topic, Application: c.Application}
	if c.Backup != "" {
		stack.Backup = &template.Backup{Name: c.Backup, Days: c.BackupDays, CopyTo: c.CopyTo}
	}
	write := template.CloudFormation
	if c.Form == "terraform" {
		write = template.Terraform
	}
	text, err := write(stack)
	if err == nil && c.YAML && c.Form == "cloudformation" {
		text, err = yaml.JSONToYAML(text)
	}
	if err != nil {
		return err
	}
	if text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	_, err = p.out.Write(text)
	return err
}
