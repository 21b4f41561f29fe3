package contract

import (
	"github.com/dynastay/dynastay"
)

var indexes = []Case{
	{
		Name:  "an item without the key of an index is not in it",
		Needs: "lists of some items only, such as the pending ones",
		Means: "a list shows what does not belong to it",
		Units: 8, run: sparse,
	},
	{
		Name:  "an index of keys has the keys only",
		Needs: "the costs of lists, and the promise that a row is complete or says that it is not",
		Means: "code passes its tests with attributes that are missing on AWS",
		Units: 6, run: projectsKeys,
	},
	{
		Name:  "an index of some attributes has these and the keys",
		Needs: "the costs of lists, and the promise that a row is complete or says that it is not",
		Means: "code passes its tests with attributes that are missing on AWS",
		Units: 6, run: projectsSome,
	},
	{
		Name:  "an index of all attributes has the item",
		Needs: "lists of complete items",
		Means: "an item is read without a part of it",
		Units: 4, run: projectsAll,
	},
	{
		Name:  "the row disappears with the attribute that is its key",
		Needs: "items that leave a list, such as a request that is answered",
		Means: "a list shows what is done",
		Units: 8, run: leavesIndex,
	},
	{
		Name:  "the row moves when its key changes",
		Needs: "lists in the order of something that changes, such as a price or a rating",
		Means: "a list shows an item twice, or at its old place",
		Units: 10, run: movesInIndex,
	},
	{
		Name:  "the row disappears with the item",
		Needs: "deletes",
		Means: "a list shows what is deleted",
		Units: 6, run: deletedFromIndex,
	},
	{
		Name:  "two items may have the same key in an index",
		Needs: "lists in which two items are at the same place, such as two reviews with one rating",
		Means: "an item replaces another one in a list",
		Units: 8, run: sameKeyInIndex,
	},
}

// inIndex ends the case unless an index comes to have these rows.
func (s *scene) inIndex(index, partition string, want ...dynastay.Item) {
	s.soon(func(s *scene) { s.same("the index has", want, s.rows(index, partition)) })
}

// keyRow is the row of an item in the index of keys.
func (s *scene) keyRow(sk, ksk string) dynastay.Item { return s.item(sk, "kpk", s.pk, "ksk", ksk) }

func sparse(s *scene) {
	s.put("with", "kpk", s.pk, "ksk", "1")
	s.put("without")
	s.put("with a part", "kpk", s.pk)
	s.put("with the other part", "ksk", "2")
	s.inIndex(keysIndex, "kpk", s.keyRow("with", "1"))
}

func projectsKeys(s *scene) {
	s.put("a", "kpk", s.pk, "ksk", "1", "v", 1, "x", "y")
	s.inIndex(keysIndex, "kpk", s.keyRow("a", "1"))
}

func projectsSome(s *scene) {
	m := map[string]any{"deep": []any{1, "x"}}
	s.put("a", "ipk", s.pk, "isk", "1", "v", 1, "m", m, "x", "y")
	s.inIndex(includeIndex, "ipk", s.item("a", "ipk", s.pk, "isk", "1", "v", 1, "m", m))
}

func projectsAll(s *scene) {
	s.put("a", "npk", s.pk, "nsk", 1, "x", []any{true, nil})
	s.inIndex(numberIndex, "npk", s.item("a", "npk", s.pk, "nsk", 1, "x", []any{true, nil}))
}

func leavesIndex(s *scene) {
	s.put("a", "kpk", s.pk, "ksk", "1")
	s.inIndex(keysIndex, "kpk", s.keyRow("a", "1"))
	s.updated("a", "REMOVE ksk")
	s.inIndex(keysIndex, "kpk")
	s.is("a", "kpk", s.pk)
}

func movesInIndex(s *scene) {
	s.put("a", "kpk", s.pk, "ksk", "1")
	s.put("b", "kpk", s.pk, "ksk", "2")
	s.inIndex(keysIndex, "kpk", s.keyRow("a", "1"), s.keyRow("b", "2"))
	s.updated("a", "SET ksk = :k", ":k", "3")
	s.inIndex(keysIndex, "kpk", s.keyRow("b", "2"), s.keyRow("a", "3"))
}

func deletedFromIndex(s *scene) {
	s.put("a", "kpk", s.pk, "ksk", "1")
	s.inIndex(keysIndex, "kpk", s.keyRow("a", "1"))
	s.remove("a")
	s.inIndex(keysIndex, "kpk")
}

func sameKeyInIndex(s *scene) {
	s.put("a", "kpk", s.pk, "ksk", "1")
	s.put("b", "kpk", s.pk, "ksk", "1")
	s.soon(func(s *scene) { s.same("the number of rows", 2, len(s.rows(keysIndex, "kpk"))) })
}
