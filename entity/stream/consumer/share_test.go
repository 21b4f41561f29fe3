package consumer

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// However the shards are held at first, a few rounds in which each process takes, asks and hands over give all of them
// equally many, give or take one, and then nothing moves any more.
func TestSharesBecomeEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		processes := rapid.IntRange(1, 6).Draw(t, "processes")
		shards := make([]holding, rapid.IntRange(0, 20).Draw(t, "shards"))
		for i := range shards {
			if owner := rapid.IntRange(0, processes).Draw(t, "owner"); owner > 0 {
				shards[i].owner = fmt.Sprint("p", owner)
			}
		}
		moved := 0
		round := func() (moves int) {
			for p := 1; p <= processes; p++ {
				me := fmt.Sprint("p", p)
				for i, s := range shards { // what it was asked for
					if s.owner == me && s.wanted != "" {
						shards[i] = holding{owner: s.wanted}
						moves++
					}
				}
				take, ask := share(shards, me)
				for _, i := range take {
					if shards[i].owner != "" {
						t.Fatalf("%s takes a shard of %s", me, shards[i].owner)
					}
					shards[i].owner = me
				}
				for _, i := range ask {
					if s := shards[i]; s.owner == "" || s.owner == me || s.wanted != "" {
						t.Fatalf("%s asks %q for a shard that %q wants", me, s.owner, s.wanted)
					}
					shards[i].wanted = me
				}
				moves += len(take) + len(ask)
			}
			return moves
		}
		for range 10 {
			moved += round()
		}
		if more := round(); more != 0 {
			t.Fatalf("%d moves after ten rounds", more)
		}
		count := map[string]int{}
		for _, s := range shards {
			count[s.owner]++
		}
		for p := 1; p <= processes; p++ {
			n := count[fmt.Sprint("p", p)]
			if n < len(shards)/processes || n*processes >= len(shards)+processes {
				t.Fatalf("process %d of %d has %d of %d shards", p, processes, n, len(shards))
			}
		}
		if moved > 3*len(shards) {
			t.Fatalf("%d moves for %d shards", moved, len(shards))
		}
	})
}

func TestShare(t *testing.T) {
	free, mine, theirs := holding{}, holding{owner: "me"}, holding{owner: "they"}
	for _, test := range []struct {
		name      string
		shards    []holding
		take, ask []int
	}{
		{"nothing to do", nil, nil, nil},
		{"alone, it takes everything", []holding{free, mine, free}, []int{0, 2}, nil},
		{"the last one of an odd number", []holding{mine, theirs, free}, []int{2}, nil},
		{"one that is left, beyond its share", []holding{mine, mine, theirs, {left: true}}, []int{3}, nil},
		{"one that is held is not left", []holding{mine, mine, theirs, {owner: "they", left: true}}, nil, nil},
		{"no more than its share", []holding{mine, mine, theirs, free}, nil, nil},
		{"a new process asks for its share", []holding{theirs, theirs, theirs, theirs, theirs}, nil, []int{0, 1}},
		{"what it asked for counts", []holding{theirs, theirs, theirs, {owner: "they", wanted: "me"}}, nil, []int{0}},
		{"what is wanted by others is left alone", []holding{{owner: "they", wanted: "x"}, {owner: "they", wanted: "x"}, theirs}, nil, nil},
		{"one shard of another is not asked for", []holding{theirs}, nil, nil},
		{"a process that only asks may be dead", []holding{{owner: "me", wanted: "x"}, free, free, free, free}, []int{1, 2, 3, 4}, nil},
		{"a free one is better than asking", []holding{theirs, theirs, free, free}, []int{2, 3}, nil},
	} {
		take, ask := share(test.shards, "me")
		assert.Equal(t, test.take, take, "%s: takes", test.name)
		assert.Equal(t, test.ask, ask, "%s: asks", test.name)
	}
}
