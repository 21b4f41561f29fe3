package consumer

import (
	"cmp"
	"maps"
	"slices"
)

// holding is who has a shard that is ready to be read.
type holding struct {
	owner  string // the process that holds it; "" if it is free
	wanted string // the process that has asked the owner for it; "" for none
	left   bool   // it has been free for so long that the process whose share it is seems unable to take it
}

// share decides which free shards the process me takes, and which ones it asks their owners for, so that all processes
// finally have equally many, give or take one. A process is known to the others only if it holds or wants a shard, so a
// new one has to ask. A shard that is left is taken by whoever sees it: a process in which a handler hangs does not take
// back the shard whose lease it has lost, while the others have their shares. The results are indexes of shards.
func share(shards []holding, me string) (take, ask []int) {
	has := map[string]int{me: 0}
	owners := map[string]bool{me: true} // without those that only ask, and may have died since
	for _, s := range shards {
		if s.owner == "" {
			continue
		}
		owners[s.owner] = true
		has[s.owner] += 0
		has[cmp.Or(s.wanted, s.owner)]++
	}
	for i, s := range shards {
		if s.owner == "" && (s.left || has[me]*len(owners) < len(shards)) { // less than its share, rounded up
			take = append(take, i)
			has[me]++
		}
	}
	asked := slices.Clone(shards)
	for {
		most := slices.MaxFunc(slices.Sorted(maps.Keys(has)), func(a, b string) int { return cmp.Compare(has[a], has[b]) })
		i := slices.Index(asked, holding{owner: most})
		if has[most] < has[me]+2 || i < 0 {
			return take, ask // i < 0: all that it holds is wanted already
		}
		ask = append(ask, i)
		asked[i].wanted = me
		has[most]--
		has[me]++
	}
}
