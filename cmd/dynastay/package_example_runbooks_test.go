package main

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/provision"
)

var (
	moto   = flag.String("moto", "", "the address of a moto server, such as http://127.0.0.1:5000, on which the commands of the runbooks run")
	awsCLI = flag.String("aws", "", "the AWS CLI that runs them")
)

// block is a block of commands of a runbook. The comment before it says why moto cannot run it, or what has happened before.
var block = regexp.MustCompile("(?ms)(?:^ *<!-- (not run|sh): ([^\n]*) -->\n)?^( *)```sh\n(.*?)^ *```$")

// script is the commands of a block.
type script struct {
	page, before, text string
	notRun             bool
}

// scripts returns the blocks of all runbooks, in their order, and those of the page of regions, which have the same form.
func scripts(t *testing.T) (all []script) {
	t.Helper()
	pages, err := filepath.Glob("../../docs/runbooks/*.md")
	require.NoError(t, err)
	for _, page := range append(pages, "../../docs/regions.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, b := range block.FindAllStringSubmatch(string(text), -1) {
			s := script{page: strings.TrimSuffix(filepath.Base(page), ".md"), notRun: b[1] == "not run"}
			s.text = strings.TrimPrefix(strings.ReplaceAll("\n"+b[4], "\n"+b[3], "\n"), "\n")
			if b[1] == "sh" {
				s.before = b[2] + "\n"
			}
			all = append(all, s)
		}
	}
	require.NotEmpty(t, all)
	return all
}

// A command is that of a line, or follows a word of bash. Its end is that of the line, or a semicolon.
var (
	commandLine = regexp.MustCompile(`(?m)^\s*(?:until |\w+=\$\()?((?:aws|dynastay) .*?)(?:\)|; do .*)?$`)
	word        = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']+`)
)

// commands returns the words of each command of a block, without quotes.
func (s script) commands() (all [][]string) {
	for _, c := range commandLine.FindAllStringSubmatch(strings.ReplaceAll(s.text, "\\\n", " "), -1) {
		var words []string
		line, _, _ := strings.Cut(c[1], " # ")
		for _, w := range word.FindAllString(line, -1) {
			words = append(words, strings.Trim(w, `"'`))
		}
		all = append(all, words)
	}
	return all
}

// The command's own parser accepts each command of a runbook that is dynastay's.
func TestRunbooksOfTheCommand(t *testing.T) {
	found := 0
	all := scripts(t)
	t.Chdir(t.TempDir())
	for _, s := range all {
		for _, words := range s.commands() {
			if words[0] != "dynastay" {
				continue
			}
			found++
			for i, w := range words {
				if w == "--settings" { // which the block has written
					require.NoError(t, os.WriteFile(words[i+1], []byte("{}"), 0o600))
				}
			}
			parser, err := kong.New(new(command), kong.Name("dynastay"))
			require.NoError(t, err)
			_, err = parser.Parse(words[1:])
			assert.NoError(t, err, "%s: %s", s.page, strings.Join(words, " "))
		}
	}
	assert.Greater(t, found, 5)
}

// clients have the operations of those services that this module knows. The AWS CLI itself checks the others, below.
var clients = map[string]reflect.Type{
	"dynamodb":                reflect.TypeFor[*dynamodb.Client](),
	"application-autoscaling": reflect.TypeFor[*applicationautoscaling.Client](),
}

// ofTheCLI are options that every command of the AWS CLI has.
var ofTheCLI = []string{"region", "query", "output"}

// Each command of the AWS CLI is an operation of the SDK, and each of its options is a field of the operation's input.
func TestRunbooksOfTheSDK(t *testing.T) {
	found := 0
	for _, s := range scripts(t) {
		for _, words := range s.commands() {
			if words[0] != "aws" {
				continue
			}
			service, operation := clients[words[1]], words[2]
			if service == nil {
				continue
			}
			if operation == "wait" {
				operation = map[string]string{"table-exists": "describe-table"}[words[3]]
			}
			method, is := service.MethodByName(camel(operation))
			if !assert.True(t, is, "%s: no operation %q: %s", s.page, operation, strings.Join(words, " ")) {
				continue
			}
			found++
			input := method.Type.In(2).Elem()
			for _, w := range words {
				name, is := strings.CutPrefix(w, "--")
				if !is || slices.Contains(ofTheCLI, name) {
					continue
				}
				field := strings.ReplaceAll(strings.TrimPrefix(name, "no-"), "-", "")
				_, is = input.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, field) })
				assert.True(t, is, "%s: %s has no %s", s.page, input.Name(), name)
			}
		}
	}
	assert.Greater(t, found, 10)
}

// camel returns DescribeTable for describe-table.
func camel(name string) (text string) {
	for part := range strings.SplitSeq(name, "-") {
		if part != "" {
			text += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return text
}

// The commands of a runbook, one block after another, with the six tables of a deployment on moto. Of what moto lacks, the
// AWS CLI checks the parameters, and a server that refuses every request gets what it would send.
func TestRunbooksOnMoto(t *testing.T) {
	if *moto == "" || *awsCLI == "" {
		t.Log("runbooks: NOT RUN: the commands: there is no moto or no AWS CLI, see the flags -moto and -aws")
		return
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "dynastay"), ".")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, os.Symlink(*awsCLI, filepath.Join(bin, "aws")))
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AWS_CONFIG_FILE": "none",
		"AWS_ENDPOINT_URL": *moto, "AWS_REGION": "eu-central-1", "AWS_DEFAULT_REGION": "eu-central-1", "AWS_PAGER": "",
		"PATH": bin + ":" + os.Getenv("PATH"),
	} {
		t.Setenv(name, value)
	}
	blocks := map[string][]script{}
	for _, s := range scripts(t) {
		blocks[s.page] = append(blocks[s.page], s)
	}
	for page, all := range blocks {
		t.Run(page, func(t *testing.T) {
			reset(t)
			text, want := before, 0
			var sent atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				sent.Add(1)
				http.Error(w, `{"__type": "NotRun"}`, http.StatusBadRequest) // which nobody repeats
			}))
			defer server.Close()
			for _, s := range all {
				if !s.notRun {
					text += s.before + s.text
				} else {
					text += fmt.Sprintf("(aws() { command aws \"$@\" --endpoint-url %s || true; }\n%s)\n", server.URL, s.text)
					want += len(s.commands())
				}
			}
			bash := exec.Command("bash", "-c", text)
			bash.Dir = t.TempDir()
			out, err := bash.CombinedOutput()
			require.NoError(t, err, string(out))
			assert.EqualValues(t, want, sent.Load(), "the AWS CLI refuses a command: %s", out)
			if after[page] != nil {
				after[page](t, string(out))
			}
		})
	}
}

// before stops at the first command that fails. Drift and plan end with 2 if there is something to do.
const before = `set -euo pipefail
dynastay() { command dynastay "$@" || [ $? = 2 ]; }
`

// reset gives moto the tables of a deployment and a night, in each region of the runbooks, a bucket for exports, and a backup.
func reset(t *testing.T) {
	t.Helper()
	answer, err := http.Post(*moto+"/moto-api/reset", "", nil)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	for _, region := range []string{"eu-central-1", "eu-west-1"} {
		client := dynamodb.NewFromConfig(configOf(t, region))
		require.NoError(t, provision.Apply(t.Context(), client, provision.Hotel("prod-", ""), nil))
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("prod-Availability"), Item: map[string]types.AttributeValue{
			"PK": &types.AttributeValueMemberS{Value: "ROOM#room_1"}, "SK": &types.AttributeValueMemberS{Value: "DATE#2026-12-24"},
			"AvailableRooms": &types.AttributeValueMemberN{Value: "1"},
		}})
		require.NoError(t, err)
	}
	for _, args := range []string{
		"s3api create-bucket --bucket hotel-exports --create-bucket-configuration LocationConstraint=eu-central-1",
		"dynamodb create-backup --table-name prod-Users --backup-name deleted",
	} {
		out, err := exec.Command("aws", strings.Fields(args)...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
}

func configOf(t *testing.T, region string) aws.Config {
	t.Helper()
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithRegion(region))
	require.NoError(t, err)
	return cfg
}

func tables(t *testing.T) []string {
	t.Helper()
	listed, err := dynamodb.NewFromConfig(configOf(t, "eu-central-1")).ListTables(t.Context(), &dynamodb.ListTablesInput{})
	require.NoError(t, err)
	return listed.TableNames
}

// after looks at what the commands of a page have done.
var after = map[string]func(t *testing.T, out string){
	"restore": func(t *testing.T, out string) {
		plan, drift, _ := strings.Cut(out, "/DeletionProtection: begun\n")
		assert.Len(t, tables(t), 6, "the copies of the rehearsal are deleted")
		for _, table := range []string{"Properties", "Availability", "Bookings", "Users", "Reviews", "Metadata"} {
			assert.True(t, strings.Contains(plan, "restored-prod-"+table+"/DeletionProtection\n"), "%s is a copy", table)
			var left []string
			for line := range strings.Lines(drift) {
				if difference, is := strings.CutPrefix(line, "restored-prod-"+table+": "); is {
					left = append(left, difference)
				}
			}
			assert.Equal(t, []string{"Encryption must be AWS managed key, but is AWS owned key\n"}, left, "moto never changes that of %s", table)
		}
	},
	"regions": func(t *testing.T, out string) {
		for _, table := range []string{"Properties", "Availability", "Bookings", "Users", "Reviews", "Metadata"} {
			assert.Contains(t, out, "prod-"+table+"/Replica eu-west-1\n", "the plan says how apply is told to add it")
		}
	},
	"deleted-table": func(t *testing.T, _ string) {
		assert.Contains(t, tables(t), "prod-Users")
	},
}
