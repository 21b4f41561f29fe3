package bookings

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSpellings(t *testing.T) {
	t.Parallel()
	const ours = "BKG-2026-7K3QX9"
	for _, test := range []struct {
		text string
		want []string
	}{
		{ours, []string{ours}},
		{" " + ours + "\n", []string{ours}},
		{"BKG-2026-ABCDEF", []string{"BKG-2026-ABCDEF"}},
		{"BKG-2026-TVWXYZ", []string{"BKG-2026-TVWXYZ"}},
		{"BKG-2026-000000", []string{"BKG-2026-000000"}},

		{"bkg-2026-7k3qx9", []string{ours, "bkg-2026-7k3qx9"}},
		{"  bkg 2026 7k3qx9 ", []string{ours, "bkg 2026 7k3qx9"}},
		{"BKG20267K3QX9", []string{ours, "BKG20267K3QX9"}},
		{"BKG - 2026 - 7K3 QX9", []string{ours, "BKG - 2026 - 7K3 QX9"}},
		{"BKG\u00a02026\u202f7K3\tQX9", []string{ours, "BKG\u00a02026\u202f7K3\tQX9"}},
		{"BKG\u20102026\u20117K3QX9", []string{ours, "BKG\u20102026\u20117K3QX9"}},
		{"BKG\u20132026\u20147K3\u2212QX9", []string{ours, "BKG\u20132026\u20147K3\u2212QX9"}},
		{"BKG-2O26-7K3QX9 ", []string{"BKG-2O26-7K3QX9", ours}},
		{"bkg-2o26-7k3qx9", []string{ours, "bkg-2o26-7k3qx9"}},
		{"BKG-2OIL-OO1ILl", []string{"BKG-2011-001111", "BKG-2OIL-OO1ILl"}},
		{"bkg oooi illooo", []string{"BKG-0001-111000", "bkg oooi illooo"}},

		{"BKG-2026-O1ILAB", []string{"BKG-2026-O1ILAB", "BKG-2026-0111AB"}}, // other software's, or ours
		{"BKG-2026-7K3QU9", []string{"BKG-2026-7K3QU9"}},                    // we have no U
		{"bkg-2026-7k3qu9", []string{"bkg-2026-7k3qu9"}},
		{"BKG-2026-7K3QX", []string{"BKG-2026-7K3QX"}},
		{"BKG-2026-7K3QX99", []string{"BKG-2026-7K3QX99"}},
		{"BKG-202-67K3QX9", []string{ours, "BKG-202-67K3QX9"}},
		{"BKG-A026-7K3QX9", []string{"BKG-A026-7K3QX9"}},
		{"XBKG-2026-7K3QX9", []string{"XBKG-2026-7K3QX9"}},
		{"BKG_2026_7K3QX9", []string{"BKG_2026_7K3QX9"}},
		{" order 66 ", []string{"order 66"}},
		{" ", []string{""}},
		{"", []string{""}},
	} {
		assert.Equal(t, test.want, spellings(test.text), "%q", test.text)
	}
}

// What may be a reference of this package leads to it, whatever else it leads to.
func FuzzSpellings(f *testing.F) {
	for _, text := range []string{"BKG-2026-7K3QX9", "bkg 2026 o12345", "BKG-2O26-OIL\u2014123", "\xff-\u0131", "BKG20267K3QX9", ""} {
		f.Add(text)
	}
	own := regexp.MustCompile(`^BKG-[0-9]{4}-[0-9A-HJKMNP-TV-Z]{6}$`)
	f.Fuzz(func(t *testing.T, text string) {
		all := spellings(text)
		if len(all) != 1 && len(all) != 2 {
			t.Fatalf("%q has %d spellings", text, len(all))
		}
		if own.MatchString(text) && !slices.Equal(all, []string{text}) {
			t.Fatalf("%q is also spelled %q", text, all)
		}
		if len(all) == 2 && (all[0] == all[1] || own.MatchString(all[0]) == own.MatchString(all[1])) {
			t.Fatalf("one of %q should be of our own form", all)
		}
		for _, spelling := range all {
			again := spellings(spelling)
			if own.MatchString(spelling) && !slices.Equal(again, []string{spelling}) || !own.MatchString(spelling) && !slices.Equal(again, all) {
				t.Fatalf("%q has the spellings %q, but one of them, %q, has %q", text, all, spelling, again)
			}
		}
	})
}
