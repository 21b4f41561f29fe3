package policy

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
)

// Role is what a program does with the tables.
type Role string

const (
	// Reader calls the methods that write nothing.
	Reader Role = "reader"
	// Application calls all methods.
	Application Role = "application"
	// Worker reads streams with package consumer, which stores its positions in the Metadata table. It needs the policy of
	// an Application too if its handlers call repositories.
	Worker Role = "worker"
	// Auditor compares the tables with what they must be, as [provision.Look] does.
	Auditor Role = "auditor"
	// Operator creates and changes the tables, as [provision.Apply] does.
	Operator Role = "operator"
)

// Policy is what a program may do.
type Policy struct {
	Role Role
	// Repositories are the packages that the program uses, such as "bookings" or "availability/units"; [Repositories]
	// returns all. An Auditor and an Operator may act on the tables of these, and a Worker may read their streams; those
	// without a stream add nothing to it.
	Repositories []string
	// Also is what the program needs besides, for example for its own tables. A Worker may also read the streams of the
	// tables in it, and an Auditor or Operator may act on these tables; nothing else in it counts for them.
	Also []Need
	// User makes a Reader one of what belongs to this user, by the methods that read nothing else: the partitions
	// USER#{User}. It is an id, or a policy variable for a role that is assumed for each user, such as
	// "${aws:PrincipalTag/user}". Also must then read by partition key as well. Default: "", the data of all users.
	User string
}

// Account is where the tables are.
type Account struct {
	Partition      string // of AWS. Default: "aws"
	Region, ID     string // an ID has 12 digits; "*" allows any
	Prefix, Suffix string // of the names of the tables, as in [dynastay.Options]
}

// Document returns the policy for tables. The error is a [*dynastay.InvalidError].
func (p Policy) Document(of Account) (*Document, error) {
	if err := p.check(of); err != nil {
		return nil, err
	}
	allowed := permissions{}
	switch p.Role {
	case Reader, Application:
		for method, needs := range recorded {
			if p.uses(method) && (p.Role == Application || !writes(needs)) && (p.User == "" || own(needs)) {
				allowed.add(of, needs...)
				if writes(needs) { // every write can have an idempotency key
					allowed.add(of, Need{Action: "GetItem", Table: metadata}, Need{Action: "PutItem", Table: metadata})
				}
			}
		}
		allowed.add(of, p.Also...)
	case Worker:
		for _, n := range recorded[worker] {
			if !OfStream(n.Action) { // a position
				allowed.add(of, n)
				continue
			}
			for _, table := range p.tables() {
				n.Table = table
				allowed.add(of, n)
			}
		}
	case Auditor, Operator:
		for _, table := range p.tables() {
			for _, action := range controlActions {
				if p.Role == Operator || describes(action) {
					allowed.add(of, Need{Action: action, Table: table})
				}
			}
		}
		allowed[everything] = slices.Clone(scalingActions)
	}
	if len(allowed) == 0 { // IAM takes no policy without statements
		return nil, dynastay.Invalid("User", "none of these packages keeps anything by user")
	}
	return allowed.document(p.User), nil
}

// uses reports whether a method is one of the policy's repositories.
func (p Policy) uses(method string) bool {
	return slices.Contains(p.Repositories, repositoryOf(method))
}

// tables returns the tables of the policy's repositories, or for a Worker those of them that have streams.
func (p Policy) tables() []string {
	all := map[string]bool{}
	for _, n := range p.Also {
		all[n.Table] = true
	}
	if p.Role == Worker {
		for _, repository := range p.Repositories {
			for _, table := range streams[repository] {
				all[table] = true
			}
		}
		return slices.Sorted(maps.Keys(all))
	}
	for method, needs := range recorded {
		for _, n := range needs {
			all[n.Table] = all[n.Table] || p.uses(method)
		}
	}
	maps.DeleteFunc(all, func(_ string, used bool) bool { return !used })
	return slices.Sorted(maps.Keys(all))
}

// What a policy is made of must not have wildcards: one in a prefix would allow the tables of every deployment.
var (
	actionName    = regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
	tableName     = regexp.MustCompile(`^[a-zA-Z0-9_.-]+$`)
	partitionName = regexp.MustCompile(`^aws[a-z-]*$`)
	regionName    = regexp.MustCompile(`^([a-z]+(-[a-z0-9]+)+|\*)$`)
	accountID     = regexp.MustCompile(`^([0-9]{12}|\*)$`)
)

func (p Policy) check(of Account) error {
	if roles := []Role{Reader, Application, Worker, Auditor, Operator}; !slices.Contains(roles, p.Role) {
		return dynastay.Invalid("Role", "must be one of %v, but is %q", roles, string(p.Role))
	}
	if len(p.Repositories)+len(p.Also) == 0 {
		return dynastay.Invalid("Repositories", "must not be empty, unless there is something in Also")
	}
	for i, r := range p.Repositories {
		field := fmt.Sprintf("Repositories[%d]", i)
		if !slices.Contains(Repositories(), r) {
			return dynastay.Invalid(field, "must be one of %s, but is %q", strings.Join(Repositories(), ", "), r)
		}
	}
	for i, n := range p.Also {
		field := fmt.Sprintf("Also[%d]", i)
		switch {
		case !actionName.MatchString(n.Action):
			return dynastay.Invalid(field, "must have an action such as GetItem, but has %q", n.Action)
		case !tableName.MatchString(n.Table):
			return dynastay.Invalid(field, "must have the name of a table without prefix and suffix, but has %q", n.Table)
		case n.Index != "" && !tableName.MatchString(n.Index):
			return dynastay.Invalid(field, "must have the name of an index, but has %q", n.Index)
		case p.User != "" && !slices.Contains(readActions, n.Action):
			return dynastay.Invalid(field, "must read by a partition key if there is a user, but has %q", n.Action)
		}
	}
	if p.Role == Worker && len(p.tables()) == 0 {
		return dynastay.Invalid("Repositories", "have no stream: a worker can read those of %s", strings.Join(slices.Sorted(maps.Keys(streams)), ", "))
	}
	switch {
	case p.User != "" && p.Role != Reader:
		return dynastay.Invalid("User", "is only for a reader")
	case strings.ContainsAny(p.User, "#*?") || strings.Count(p.User, "${") != strings.Count(p.User, "}"):
		return dynastay.Invalid("User", "must be an id or a policy variable, but is %q", p.User)
	case !partitionName.MatchString(cmp.Or(of.Partition, "aws")):
		return dynastay.Invalid("Partition", "must be one of AWS, such as aws-cn, but is %q", of.Partition)
	case !regionName.MatchString(of.Region):
		return dynastay.Invalid("Region", "must be a region such as eu-central-1, or *, but is %q", of.Region)
	case !accountID.MatchString(of.ID):
		return dynastay.Invalid("ID", "must be the 12 digits of an account, or *, but is %q", of.ID)
	case of.Prefix != "" && !tableName.MatchString(of.Prefix):
		return dynastay.Invalid("Prefix", "must have letters, digits, dots, hyphens and underscores only, but is %q", of.Prefix)
	case of.Suffix != "" && !tableName.MatchString(of.Suffix):
		return dynastay.Invalid("Suffix", "must have letters, digits, dots, hyphens and underscores only, but is %q", of.Suffix)
	}
	return nil
}

// permissions are actions by resource.
type permissions map[string][]string

// everything is the resource of the actions that are not for a single one.
const everything = "*"

func (p permissions) add(of Account, needs ...Need) {
	for _, n := range needs {
		at := of.resource(n)
		if action := service + n.Action; !slices.Contains(p[at], action) {
			p[at] = append(p[at], action)
		}
	}
}

const (
	service  = "dynamodb:"
	metadata = "Metadata" // the table that keeps the results of keys, unless Options.Idempotency names another one
)

// resource returns the ARN of what a need is for.
func (a Account) resource(n Need) string {
	if n.Action == "ListStreams" {
		return everything // it names no stream; its answer has names only
	}
	table := fmt.Sprintf("arn:%s:dynamodb:%s:%s:table/%s%s%s", cmp.Or(a.Partition, "aws"), a.Region, a.ID, a.Prefix, n.Table, a.Suffix)
	switch {
	case OfStream(n.Action):
		return table + "/stream/*"
	case n.Index != "":
		return table + "/index/" + n.Index
	}
	return table
}

// document returns the permissions with one statement for each set of actions.
func (p permissions) document(user string) *Document {
	at := map[string][]string{} // resources by their actions
	for resource, actions := range p {
		slices.Sort(actions)
		set := strings.Join(actions, " ")
		at[set] = append(at[set], resource)
	}
	d := &Document{Version: version}
	for _, set := range slices.Sorted(maps.Keys(at)) {
		slices.Sort(at[set])
		s := Statement{Effect: "Allow", Action: strings.Fields(set), Resource: at[set]}
		if user != "" {
			// A request that names no partition, as a Scan, would satisfy the first condition alone.
			s.Condition = map[string]map[string][]string{forAllEqual: {leadingKeys: {ownPrefix + user}}, isNull: {leadingKeys: {"false"}}}
		}
		d.Statement = append(d.Statement, s)
	}
	return d
}
