// Package template writes tables as CloudFormation and as Terraform, with what belongs to them in production: the scaling of
// provisioned capacity, daily backups with a copy in another region, alarms whose descriptions say why, and a dashboard.
//
// A [Stack] is made from the same [provision.Table] values that [provision.Look] compares. Use either the templates or
// [provision.Apply] to create the tables, and Look to see whether they are still what they must be: a stack is not compared
// with what people change by hand.
//
// CloudFormation keeps the tables if their stack is deleted, and if a change would replace them.
package template
