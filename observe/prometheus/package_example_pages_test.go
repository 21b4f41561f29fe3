package dynaprom_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/testing/page"
)

// The Go of docs/observing.md is that of the examples: the page is in another module, which cannot compile it.
func TestGoOfThePage(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	parts := strings.Split(string(source), "\t// page ")[1:]
	require.NotEmpty(t, parts)
	for _, part := range parts {
		name, rest, _ := strings.Cut(part, "\n")
		block, _, ends := strings.Cut(rest, "\t// end of page\n")
		require.True(t, ends, name)
		block = strings.ReplaceAll("\n"+block, "\n\t", "\n")
		page.Section(t, "../../docs/observing.md", name, "```golang"+block+"```")
	}
}
