package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/goccy/go-yaml"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	hcljson "github.com/hashicorp/hcl/v2/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/provision"
)

// called is what a call of the command has printed, and its exit code.
type called struct {
	code      int
	out, errs string
}

func call(ctx context.Context, args ...string) called {
	var out, errs bytes.Buffer
	code := run(ctx, args, &out, &errs, false)
	return called{code, out.String(), errs.String()}
}

// deployment is where the tables of a test are, as the flags say it. Their names begin with prefix.
type deployment struct {
	*dyntest.DB
	prefix string
	flags  []string
}

func deploy(t *testing.T) deployment {
	t.Helper()
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AWS_CONFIG_FILE": "none"} {
		t.Setenv(name, value)
	}
	db := dyntest.New(t, dyntest.Tables(keys.UsersTable))
	prefix := strings.TrimSuffix(db.TableName(keys.UsersTable), "Users") + "c-"
	settings := filepath.Join(t.TempDir(), "settings.json")
	require.NoError(t, os.WriteFile(settings, []byte(`{"Availability": {"Deletable": true}}`), 0o600))
	d := deployment{db, prefix, []string{"--endpoint", db.Engine.Endpoint(), "--region", "us-east-1", "--prefix", prefix, "--settings", settings}}
	t.Cleanup(func() {
		for _, s := range keys.Tables() {
			name := prefix + s.Name
			_, _ = db.Engine.Client().UpdateTable(context.Background(), &dynamodb.UpdateTableInput{TableName: &name, DeletionProtectionEnabled: aws.Bool(false)})
			_, _ = db.Engine.Client().DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name})
		}
	})
	return d
}

func (d deployment) call(t *testing.T, command string, args ...string) called {
	t.Helper()
	return call(t.Context(), append(append([]string{command}, d.flags...), args...)...)
}

// A deployment from nothing: everything is planned, applied once, and then as it must be, until somebody changes it.
func TestDeployment(t *testing.T) {
	d := deploy(t)
	plan := d.call(t, "plan")
	assert.Equal(t, differs, plan.code)
	assert.Equal(t, 6, strings.Count(plan.out, "/Table\n  Table must be there, but is none\n  changed by: apply\n  Creates the table, which is empty.\n"), plan.out)
	assert.Empty(t, plan.errs)
	drift := d.call(t, "drift")
	assert.Equal(t, differs, drift.code)
	assert.Contains(t, drift.out, d.prefix+"Users: Table must be there, but is none\n")

	apply := d.call(t, "apply")
	assert.Equal(t, called{code: same, out: apply.out}, apply)
	assert.Contains(t, apply.out, d.prefix+"Users/Table: begun\n")
	assert.Contains(t, apply.out, d.prefix+"Users/Table: done\n")
	assert.Contains(t, apply.out, d.prefix+"Metadata/TTL: done\n")
	assert.True(t, strings.HasSuffix(apply.out, "The tables are as they must be.\n"))
	drift = d.call(t, "drift")
	assert.Equal(t, same, drift.code)
	assert.Contains(t, drift.out, d.prefix+"Users is as it must be\n")
	assert.Contains(t, drift.out, d.prefix+"Users: Recovery was not compared: the engine has no point-in-time recovery\n")
	assert.True(t, strings.HasSuffix(d.call(t, "plan").out, "Nothing to do.\n"))

	name, old := d.prefix+"Users", "GSI9-OldIndex"
	_, err := d.Engine.Client().UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: &name, DeletionProtectionEnabled: aws.Bool(false)})
	require.NoError(t, err)
	more := *keys.UsersTable
	more.Indexes = append(more.Indexes[:len(more.Indexes):len(more.Indexes)], dynastay.Index{Name: old, Key: dynastay.KeyNames{Partition: "PK"}})
	require.NoError(t, provision.Apply(t.Context(), d.Engine.Client(), []provision.Table{{Schema: &more, Name: name, Settings: provision.Settings{Deletable: true}}}, nil))

	plan = d.call(t, "plan")
	assert.Contains(t, plan.out, name+"/DeletionProtection\n")
	assert.Contains(t, plan.out, "  changed by: name, with --name \""+name+"/Index "+old+"\"\n")
	apply = d.call(t, "apply")
	assert.Equal(t, differs, apply.code)
	assert.Contains(t, apply.out, name+"/DeletionProtection: done\n")
	assert.Contains(t, apply.out, name+"/Index "+old+"\n  Index "+old+" must be none, but is PK; ALL\n")
	assert.Empty(t, apply.errs)
	apply = d.call(t, "apply", "--name", name+"/Index "+old)
	assert.Equal(t, same, apply.code, apply.out)
	assert.Equal(t, same, d.call(t, "drift").code)
}

func TestCheck(t *testing.T) {
	d := deploy(t)
	got := d.call(t, "check")
	assert.Equal(t, differs, got.code)
	assert.Contains(t, got.out, "Phase 1 core tables\n  The table Properties with its indexes: missing. "+d.prefix+"Properties: Table must be there, but is none\n")
	require.Equal(t, same, d.call(t, "apply").code)
	got = d.call(t, "check")
	assert.Equal(t, called{code: same, out: got.out}, got)
	assert.Contains(t, got.out, "  The table Properties with its indexes: fulfilled. Compared with the table.\n")
	assert.Contains(t, got.out, "  Point-in-time recovery: not compared. "+d.prefix+"Properties: Recovery: the engine has no point-in-time recovery; ")
	assert.Contains(t, got.out, "  A cache: not applicable. ")
	assert.Contains(t, got.out, "  Cost alerts: yours. ")
	var checks []provision.Check
	require.NoError(t, json.Unmarshal([]byte(d.call(t, "check", "--json").out), &checks))
	assert.Len(t, checks, 22)
}

func TestJSON(t *testing.T) {
	d := deploy(t)
	for _, command := range []string{"drift", "plan"} {
		got := d.call(t, command, "--json")
		assert.Equal(t, differs, got.code)
		var reports []provision.Report
		require.NoError(t, json.Unmarshal([]byte(got.out), &reports))
		require.Len(t, reports, 6)
		assert.Equal(t, d.prefix+"Properties", reports[0].Table)
		assert.Equal(t, provision.ByApply, reports[0].Differences[0].Mend)
	}
}

func TestTemplate(t *testing.T) {
	flags := []string{"--prefix", "prod-", "--application", "--topic", "arn:aws:sns:eu-central-1:123456789012:desk",
		"--backup", "hotel", "--copy-to", "arn:aws:backup:eu-west-1:123456789012:backup-vault:hotel"}
	inJSON := call(t.Context(), append([]string{"template", "cloudformation"}, flags...)...)
	require.Equal(t, called{code: same, out: inJSON.out}, inJSON)
	inYAML := call(t.Context(), append([]string{"template", "cloudformation", "--yaml"}, flags...)...)
	require.Equal(t, called{code: same, out: inYAML.out}, inYAML)
	assert.False(t, strings.HasPrefix(inYAML.out, "{"))
	back, err := yaml.YAMLToJSON([]byte(inYAML.out))
	require.NoError(t, err)
	assert.JSONEq(t, inJSON.out, string(back))
	for _, resource := range []string{"ProdAvailabilityReadScale", "BackupPlan", "AlarmDynastayOverdueHolds", "ProdUsers"} {
		assert.Contains(t, inYAML.out, "\n  "+resource+":\n")
	}

	terraform := call(t.Context(), append([]string{"template", "terraform"}, flags...)...)
	require.Equal(t, called{code: same, out: terraform.out}, terraform)
	file, problems := hcljson.Parse([]byte(terraform.out), "dynastay.tf.json")
	require.False(t, problems.HasErrors(), problems.Error())
	content, problems := file.Body.Content(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
		{Type: "resource", LabelNames: []string{"type", "name"}}, {Type: "data", LabelNames: []string{"type", "name"}},
	}})
	require.False(t, problems.HasErrors(), problems.Error())
	kinds := map[string]int{}
	for _, block := range content.Blocks {
		kinds[block.Labels[0]]++
	}
	assert.Equal(t, 6, kinds["aws_dynamodb_table"])
	assert.Equal(t, 4, kinds["aws_appautoscaling_policy"])
	assert.Equal(t, 1, kinds["aws_backup_plan"])
	var decoded any
	require.NoError(t, json.Unmarshal([]byte(terraform.out), &decoded))
	assertTemplates(t, decoded)
}

// assertTemplates parses all strings, which Terraform reads as templates.
func assertTemplates(t *testing.T, v any) {
	switch v := v.(type) {
	case string:
		_, problems := hclsyntax.ParseTemplate([]byte(v), "", hcl.InitialPos)
		assert.False(t, problems.HasErrors(), "%s: %s", v, problems.Error())
	case []any:
		for _, one := range v {
			assertTemplates(t, one)
		}
	case map[string]any:
		for _, one := range v {
			assertTemplates(t, one)
		}
	}
}

// What a new user does wrong is told in one line, without a request.
func TestMistakes(t *testing.T) {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", "none")
	file := filepath.Join(t.TempDir(), "settings.json")
	for text, args := range map[string][]string{
		"expected one of": {},
		"unexpected argument driff, did you mean \"drift\"?":                                                  {"driff"},
		"unknown flag --perfix, did you mean \"--prefix\"?":                                                   {"plan", "--perfix", "x"},
		"--system must be one of \"hotel\",\"listing\",\"venue\" but got \"inn\"":                             {"plan", "--system", "inn"},
		"<form> must be one of \"cloudformation\",\"terraform\" but got \"cdk\"":                              {"template", "cdk"},
		"--system must name at least one of hotel, listing and venue":                                         {"plan", "--system="},
		"--name must be a difference that plan prints, such as \"a-Properties/Billing\", but is \"nonsense\"": {"apply", "--prefix=a-", "--name=nonsense"},
		"but is \"b-Properties/Billing\"":                                                                     {"apply", "--prefix=a-", "--name=b-Properties/Billing"},
		"--endpoint must be an address such as http://localhost:8000, but is \"localhost\"":                   {"plan", "--region=eu-central-1", "--endpoint=localhost"},
		"but is \"localhost:8000\"":                                                                           {"check", "--region=eu-central-1", "--endpoint=localhost:8000"},
		"there is no region: use --region, or set AWS_REGION or AWS_PROFILE":                                  {"drift", "--endpoint=http://localhost:8000"},
		"no such file or directory":                                                                           {"plan", "--settings", file + "x"},
		"invalid Tables[0].Name: must have 3 to 255":                                                          {"template", "terraform", "--prefix", "a b"},
		"invalid Topic: must be the ARN of an SNS topic, but is \"desk\"":                                     {"template", "terraform", "--topic", "desk"},
	} {
		got := call(t.Context(), args...)
		assert.Equal(t, failed, got.code, text)
		assert.Contains(t, got.errs, text)
		assert.Equal(t, 1, strings.Count(got.errs, "\n"), got.errs)
	}
	for text, settings := range map[string]string{
		`Users: json: unknown field "Deleteable"`:                   `{"Users": {"Deleteable": true}}`,
		"Guests is not one of the tables Properties, Availability,": `{"Guests": {}}`,
		"must have the settings of tables as JSON: unexpected end":  `{`,
		"invalid character 'm' after top-level value":               `{"Users": {}} more`,
		"Settings.RecoveryDays: must be between":                    `{"Users": {"RecoveryDays": 99}}`,
	} {
		require.NoError(t, os.WriteFile(file, []byte(settings), 0o600))
		got := call(t.Context(), "template", "terraform", "--settings", file)
		assert.Equal(t, failed, got.code, text)
		assert.Contains(t, got.errs, text)
	}
}

// A pipeline must not take a part of the output for the whole.
func TestLostOutput(t *testing.T) {
	d := deploy(t)
	for _, command := range []string{"plan", "drift", "apply", "check"} {
		var errs bytes.Buffer
		assert.Equal(t, failed, run(t.Context(), append([]string{command}, d.flags...), fullDisk{}, &errs, false), command)
		assert.Equal(t, "dynastay: no space left on device\n", errs.String(), command)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// The settings on the page of operations are valid.
func TestSettingsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "```json\n")
	require.True(t, found)
	text, _, _ := strings.Cut(rest, "```")
	file := filepath.Join(t.TempDir(), "settings.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	tables, err := declared{System: []string{"hotel"}, Settings: file}.tables()
	require.NoError(t, err)
	assert.Equal(t, provision.Scale{Min: 25, Max: 4000}, tables[1].Settings.Provisioned.Write)
	assert.Equal(t, provision.Units{Read: 5000, Write: 2000}, tables[2].Settings.Maximum)
}

func TestHelp(t *testing.T) {
	got := call(t.Context(), "--help")
	assert.Equal(t, same, got.code)
	for _, command := range []string{"drift", "plan", "apply", "check", "template"} {
		assert.Contains(t, got.out, "\n  "+command+" ")
		assert.Equal(t, same, call(t.Context(), command, "--help").code)
	}
}

func TestEverySystem(t *testing.T) {
	got := call(t.Context(), "template", "terraform", "--system", "venue,listing,hotel")
	require.Equal(t, same, got.code)
	var read struct {
		Resource struct {
			Tables map[string]any `json:"aws_dynamodb_table"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &read))
	assert.Len(t, read.Resource.Tables, 8)
}
