package dynastay_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/testing/page"
)

// patternPages are the pages with the patterns of packages, in the order in which the pages list them.
var patternPages = []struct{ dir, page string }{
	{"properties", "docs/patterns.md"}, {"properties/search", "docs/patterns.md"}, {"availability", "docs/patterns.md"}, {"availability/units", "docs/patterns.md"},
	{"bookings", "docs/patterns.md"}, {"users", "docs/patterns.md"}, {"reviews", "docs/patterns.md"},
	{"availability/listing", "docs/patterns.md"}, {"bookings/venue", "docs/patterns.md"},
	{"examples/traveltracker/tracker", "examples/traveltracker/README.md"},
	{"examples/traveltracker/regions", "examples/traveltracker/README.md"},
	{"examples/marketplace/people", "examples/marketplace/README.md"},
	{"examples/marketplace/projects", "examples/marketplace/README.md"},
	{"examples/marketplace/shop", "examples/marketplace/README.md"},
	{"examples/marketplace/reviews", "examples/marketplace/README.md"},
	{"examples/marketplace/messages", "examples/marketplace/README.md"},
}

// patternLine is the last line of the comment of a method that answers a pattern.
var patternLine = regexp.MustCompile(`(?m)^Pattern ([A-Z]\d+(?:, [a-z ]+)?|[a-z ]+): (.*), ((?:at (?:most|least) )?\d+) requests?$`)

// A pattern stands in one place, the last line of its method's comment. Its number of requests is that of the test of the
// patterns, and the pages have what the comments say.
func TestEveryPatternHasItsMethod(t *testing.T) {
	t.Parallel()
	promised := map[string]string{}
	for _, p := range patternPages {
		var rows [][]string
		methods := methodsOf(t, p.dir)
		for _, method := range methods {
			if !strings.Contains(method.Doc.Text(), "Pattern ") {
				continue
			}
			found := patternLine.FindStringSubmatch(method.Doc.Text())
			if !assert.NotNil(t, found, "the pattern's line of %s.%s", p.dir, method.Name.Name) {
				continue
			}
			assert.NotContains(t, promised, found[1], "two methods for one pattern")
			promised[found[1]] = found[3]
			does := synopsis(method.FuncDecl)
			if strings.HasPrefix(does, "runs ") {
				op := slices.IndexFunc(methods, func(m declaration) bool { return m.Name.Name == method.Name.Name+"Op" })
				does = synopsis(methods[op].FuncDecl)
			}
			receiver := method.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name
			source, err := filepath.Rel(filepath.Dir(p.page), method.source)
			require.NoError(t, err)
			rows = append(rows, []string{
				found[1], does, fmt.Sprintf("[`%s.%s.%s`](%s)", path.Base(p.dir), receiver, method.Name.Name, source), found[2], found[3],
			})
		}
		slices.SortStableFunc(rows, func(a, b []string) int { return orderOfPatterns(a[0], b[0]) })
		page.Section(t, p.page, "patterns of "+p.dir,
			page.Table([]string{"pattern", "what the method does", "method", "what it reads or writes", "requests"}, rows))
	}
	listed := map[string]string{}
	for _, p := range everyPattern() {
		listed[p.id] = fmt.Sprint(p.requests)
		switch most := atMost[p.id]; {
		case most > 0:
			listed[p.id] = fmt.Sprint("at most ", most)
		case p.id == "search": // the test has one property
			listed[p.id] = fmt.Sprint("at least ", p.requests)
		}
	}
	assert.Equal(t, promised, listed)
	assert.NotEmpty(t, listed)
}

// declaration is a method of a package and its file.
type declaration struct {
	*ast.FuncDecl
	source string
}

// methodsOf returns the methods that a package declares.
func methodsOf(t *testing.T, dir string) (methods []declaration) {
	sources, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, source := range sources {
		file, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if declared, ok := d.(*ast.FuncDecl); ok && declared.Recv != nil {
				methods = append(methods, declaration{declared, source})
			}
		}
	}
	return methods
}

// synopsis returns the first sentence of a method's comment, without its name.
func synopsis(method *ast.FuncDecl) string {
	first := strings.TrimPrefix(new(doc.Package).Synopsis(method.Doc.Text()), method.Name.Name+" ")
	return strings.NewReplacer("[", "", "]", "", " | ", " or ").Replace(strings.TrimSuffix(first, "."))
}

// orderOfPatterns sorts P2 before P10, and patterns without a number last.
func orderOfPatterns(a, b string) int {
	rank := func(id string) string {
		name, number := "", 0
		if _, err := fmt.Sscanf(id, "%1s%d", &name, &number); err != nil {
			return "~" + id
		}
		return fmt.Sprintf("%s%02d%s", name, number, id)
	}
	return strings.Compare(rank(a), rank(b))
}

// promise is one of docs/guarantees.md, and proof is how it ends.
var (
	promise = regexp.MustCompile(`(?m)^- .*\n(?:  .*\n)*`)
	proof   = regexp.MustCompile("Tests: (`[^`]+`(?:, `[^`]+`){0,3})\\.$")
)

// A promise ends with the one to four tests that prove it, so that nobody has to search for them.
func TestPromisesNameTheirTests(t *testing.T) {
	t.Parallel()
	guarantees, err := os.ReadFile("docs/guarantees.md")
	require.NoError(t, err)
	promises := promise.FindAllString(string(guarantees), -1)
	require.NotEmpty(t, promises)
	for _, text := range promises {
		found := proof.FindStringSubmatch(strings.Join(strings.Fields(text), " "))
		if !assert.NotNil(t, found, "no tests at the end of\n%s", text) {
			continue
		}
		assertTests(t, found[1])
	}
}

// assertTests checks that there are the tests of a list such as `bookings.TestX`, `TestY`.
func assertTests(t *testing.T, list string) {
	t.Helper()
	for name := range strings.SplitSeq(strings.ReplaceAll(list, "`", ""), ", ") {
		dir, test := path.Split(strings.ReplaceAll(name, ".", "/"))
		assert.True(t, declaresTest(t, dir, test), "no test %s", name)
	}
}

var (
	limit     = regexp.MustCompile(`(?m)^\| (\*\*.*) \|$`)
	shownBy   = regexp.MustCompile("^`[^`]+`(?:, `[^`]+`){0,3}$")
	localLink = regexp.MustCompile(`\]\(([^)#:]+)`)
)

// A row of docs/limits.md ends with the one to four tests that show what the library does about a limit. Without a test, it
// says that the library does nothing.
func TestLimitsNameTheirTests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/limits.md")
	require.NoError(t, err)
	rows := limit.FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(rows), 30)
	for _, row := range rows {
		cells := strings.Split(row[1], " | ")
		if !assert.Len(t, cells, 4, "%s", row[1]) {
			continue
		}
		switch does, where, tests := cells[1], cells[2], cells[3]; {
		case tests == "none":
			assert.Regexp(t, "^Nothing: ", does, "no test shows what is done about %s", cells[0])
		case assert.Regexp(t, shownBy, tests, "the tests of %s", cells[0]):
			assertTests(t, tests)
			assert.Regexp(t, localLink, where, "where is %s?", cells[0])
		}
	}
	for _, link := range localLink.FindAllStringSubmatch(string(text), -1) {
		assert.FileExists(t, path.Join("docs", link[1]))
	}
}

// numbers are the constants on docs/limits.md, with what they limit.
var numbers = []struct{ file, name, limits string }{
	{"write_tx.go", "maxActions", "actions of a write, the idempotency record included"},
	{"write_tx.go", "maxBytes", "what the actions of a write carry"},
	{"write_tx.go", "maxItemBytes", "an item that a write or `PutAll` puts"},
	{"write.go", "tokenLife", "the time in which a transaction is sent again with its client token"},
	{"write_idempotency.go", "recordLife", "the life of an idempotency record"},
	{"batch.go", "maxBatchReads", "keys of a request of `GetAll`"},
	{"batch.go", "maxBatchWrites", "items of a request of `PutAll` and `DeleteAll`"},
	{"list_page.go", "maxLimit", "items of a page, `Paging.Limit`"},
	{"list_page.go", "maxReads", "reads of a page, `Paging.Reads`"},
	{"internal/keytext/text.go", "MaxID", "bytes of an id in a key"},
	{"internal/keytext/text.go", "MaxText", "bytes of a text in a key, and of an idempotency key or its scope, percent-escaped"},
	{"keys/key/shards.go", "maxShards", "shards of a list"},
	{"money.go", "maxDigits", "digits of an amount"},
	{"users/preferences.go", "MaxPreferences", "preferences of a user, all of which one update can replace"},
	{"availability/quote.go", "MaxNights", "nights of a stay"},
	{"entity/stream/consumer/reader.go", "retention", "the time without a read after which a consumer reports that changes may be lost"},
	{"provision/table.go", "maxRecoveryDays", "days of point-in-time recovery"},
}

// The numbers of the library on the page of the limits are those of the code.
func TestNumbersOfLimits(t *testing.T) {
	t.Parallel()
	var rows [][]string
	for _, n := range numbers {
		rows = append(rows, []string{fmt.Sprintf("[`%s`](../%s)", n.name, n.file), constantOf(t, n.file, n.name), n.limits})
	}
	page.Section(t, "docs/limits.md", "numbers", page.Table([]string{"constant", "at most", "what it limits"}, rows))
}

// constantOf returns the value of a constant as text: a duration, or a number, in KB or MB if the source shifts it.
func constantOf(t *testing.T, source, name string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
	require.NoError(t, err)
	expr := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, is := n.(*ast.ValueSpec); is && len(spec.Names) == 1 && spec.Names[0].Name == name {
			expr = types.ExprString(spec.Values[0])
		}
		return expr == ""
	})
	require.NotEmpty(t, expr, "%s in %s", name, source)
	value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, strings.NewReplacer("time.Minute", "60", "time.Hour", "3600").Replace(expr))
	require.NoError(t, err)
	n, exact := constant.Int64Val(value.Value)
	require.True(t, exact)
	hour := int64(time.Hour / time.Second)
	switch {
	case strings.Contains(expr, "time.") && n%(24*hour) == 0 && n > 24*hour:
		return fmt.Sprint(n/24/hour, " days")
	case strings.Contains(expr, "time.") && n%hour == 0:
		return fmt.Sprint(n/hour, " hours")
	case strings.Contains(expr, "time."):
		return fmt.Sprint(n/60, " minutes")
	case strings.Contains(expr, "<< 20"):
		return fmt.Sprint(n>>20, " MB")
	case strings.Contains(expr, "<< 10"):
		return fmt.Sprint(n>>10, " KB")
	}
	return fmt.Sprint(n)
}

// testName is the name of a test in the text of a page.
var testName = regexp.MustCompile("`((?:[\\w/]+\\.)?)(Test\\w+)`")

// These pages say by which tests something is proven.
func TestPagesNameTests(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"docs/testing.md", "docs/regions.md"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		named := testName.FindAllStringSubmatch(string(text), -1)
		require.NotEmpty(t, named, file)
		for _, name := range named {
			assert.True(t, declaresTest(t, strings.TrimSuffix(name[1], "."), name[2]), "no test %s%s", name[1], name[2])
		}
	}
}

// declaresTest reports whether a test is in the files of a directory.
func declaresTest(t *testing.T, dir, test string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(files, func(file string) bool {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.HasPrefix(test, "Test") && strings.Contains(string(source), "\nfunc "+test+"(t *testing.T) {")
	})
}

// decisionLink is in a comment of the code that the decision explains.
var decisionLink = regexp.MustCompile(`(?m)^\s*//.*(docs/decisions/[\w-]+\.md)`)

// A decision that no code links to is not found by those who change the code.
func TestDecisionsAreLinked(t *testing.T) {
	t.Parallel()
	decisions, err := filepath.Glob("docs/decisions/0*.md")
	require.NoError(t, err)
	require.NotEmpty(t, decisions)
	explains := map[string][]string{}
	require.NoError(t, filepath.WalkDir(".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" {
			return err
		}
		source, err := os.ReadFile(file)
		for _, link := range decisionLink.FindAllStringSubmatch(string(source), -1) {
			explains[link[1]] = append(explains[link[1]], fmt.Sprintf("[%s](../../%[1]s)", filepath.ToSlash(file)))
			assert.Contains(t, decisions, link[1], "the link in %s", file)
		}
		return err
	}))
	var rows [][]string
	for _, decision := range decisions {
		text, err := os.ReadFile(decision)
		require.NoError(t, err)
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		assert.NotEmpty(t, explains[decision], "no comment links to %s", decision)
		rows = append(rows, []string{
			fmt.Sprintf("[%s](%s)", title, path.Base(decision)), strings.Join(slices.Compact(explains[decision]), ", "),
		})
	}
	page.Section(t, "docs/decisions/README.md", "decisions", page.Table([]string{"decision", "explains"}, rows))
}
