package card

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// long returns texts of at most n bytes that have as many candidates, names or aside tokens as possible.
func long(n int) []string {
	var texts []string
	for _, part := range []string{
		"4", "4 ", "41 ", "4111 ", "4111 1111 1111 1112 ", "411111111111111 ", "1.1.26-", "2026-07-10-", "AA00 ", "AA00", "AA ", "A1", "+4",
		"cvc ", "cvc is ", "card code ", "code ", "123 is ", "\u200b", "𝟗", "4\u00ad", "7c490622-3626-452c-a785-",
	} {
		texts = append(texts, strings.Repeat(part, n/len(part)))
	}
	return texts
}

// A group of digits begins at most one candidate of each length, and each has at most 19 groups.
func TestCandidatesAreFew(t *testing.T) {
	t.Parallel()
	all := 0
	for _, text := range long(1 << 16) {
		tokens := split(text)
		assert.LessOrEqual(t, len(tokens), len(text))
		setAside(tokens)
		n := 0
		for groups := range candidates(tokens) {
			assert.LessOrEqual(t, len(groups), most)
			n++
		}
		assert.LessOrEqual(t, n, (most-fewest+1)*len(tokens), "%.20q", text)
		all += n
	}
	assert.Greater(t, all, 1<<16)
}

func BenchmarkCheck(b *testing.B) {
	for _, text := range long(2048) {
		b.Run(fmt.Sprintf("%.10q", text), func(b *testing.B) {
			for b.Loop() {
				_ = Check(text)
			}
		})
	}
}
