package keytest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// The failures here are wanted: none is to be made smaller or kept in a file.
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.shrinktime": "0s"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// recorder is a test that may fail. FailNow panics, because said has to go on in the same goroutine.
type recorder struct {
	*testing.T
	failed bool
	said   strings.Builder
}

type ended struct{}

func (r *recorder) Errorf(format string, args ...any) {
	r.failed = true
	fmt.Fprintf(&r.said, format, args...)
}
func (r *recorder) Error(args ...any)          { r.Errorf("%s", fmt.Sprint(args...)) }
func (r *recorder) Logf(f string, args ...any) { fmt.Fprintf(&r.said, f, args...) }
func (r *recorder) Log(args ...any)            { fmt.Fprint(&r.said, args...) }
func (r *recorder) Fail()                      { r.failed = true }
func (r *recorder) Failed() bool               { return r.failed }
func (r *recorder) FailNow()                   { r.failed = true; panic(ended{}) }

// said is what a test reports that has to fail.
func said(t *testing.T, test func(rapid.TB)) string {
	t.Helper()
	r := &recorder{T: t}
	func() {
		defer func() {
			if v := recover(); v != nil && v != (ended{}) {
				panic(v)
			}
		}()
		test(r)
	}()
	assert.True(t, r.failed, "it does not fail")
	return r.said.String()
}

type guest struct{ GuestID string }

func (k *guest) Form(f *key.Form) {
	f.PK("GUEST#", key.ID("GuestID", &k.GuestID))
	f.SK("PROFILE")
}

type stay struct {
	GuestID string
	Nights  int
	Place   string
}

func (k *stay) Form(f *key.Form) {
	f.PK("GUEST#", key.ID("GuestID", &k.GuestID))
	f.SK("STAY#", key.Whole("Nights", &k.Nights, 1, 365), "#", key.Text("Place", &k.Place))
}

// period is a key of two fields that are one value.
type period struct{ From, To int }

func (k *period) Form(f *key.Form) {
	f.PK("PERIOD#", key.Custom("Period",
		func() (string, error) {
			if k.From > k.To || k.From < 0 {
				return "", errors.New("ends before it begins")
			}
			return fmt.Sprintf("%d-%d", k.From, k.To), nil
		},
		func(text string) error { _, err := fmt.Sscanf(text, "%d-%d", &k.From, &k.To); return err }))
}

// visitor has a field that the suite cannot change, and a sort key that ends with its first value.
type visitor struct {
	GuestID string
	number  int
}

func (k *visitor) Form(f *key.Form) {
	f.PK("VISITOR", key.Shard("number", &k.number))
	f.SK("GUEST#", key.ID("GuestID", &k.GuestID))
}

var (
	guests = guest{"guest_1"}
	stays  = stay{"guest_1", 7, "Room #12"}
)

func TestCheckPasses(t *testing.T) {
	Check(t, Samples(guests), Samples(stays, stay{"guest_2", 300, "a"}), Samples(period{7, 9}), Samples(visitor{"guest_1", 7}))
	InOrder(t, visitor{GuestID: "p1"}, visitor{GuestID: "p10"})
	rapid.Check(t, func(t *rapid.T) {
		InOrder(t, stay{"a", 7, "z"}, stay{"b", 70, "b"}, stay{"c", 70, "ba"}, stay{"a", 365, "a"})
	})
}

func FuzzPasses(f *testing.F) {
	Fuzz(f, []Type{Samples(guests), Samples(stays)}, []Type{Samples(guests)})
}

// Declarations that go wrong though they compile and do not panic.

type nights struct {
	GuestID string
	Nights  int
}

type forgotten nights // has no Nights in its key

func (k *forgotten) Form(f *key.Form) { f.PK("GUEST#", key.ID("GuestID", &k.GuestID)) }

type misnamed struct{ GuestID, HostID string }

func (k *misnamed) Form(f *key.Form) {
	f.PK("GUEST#", key.ID("HostID", &k.GuestID), "#", key.ID("GuestID", &k.HostID))
}

type hidden struct{ guestID string }

func (k *hidden) Form(f *key.Form) { f.PK("GUEST#", key.ID("guestID", &k.guestID)) }

type nameless guest

func (k *nameless) Form(f *key.Form) {
	encode := func() (string, error) {
		if k.GuestID != "guest_1" && k.GuestID != "guest_2" {
			return "", errors.New("")
		}
		return k.GuestID, nil
	}
	f.PK("GUEST#", key.Custom("GuestID", encode, func(text string) error { k.GuestID = text; return nil }))
}

type shifted nights // reads one night more than it wrote

func (k *shifted) Form(f *key.Form) {
	f.PK("GUEST#", key.ID("GuestID", &k.GuestID))
	f.SK(key.Custom("Nights",
		func() (string, error) { return strconv.Itoa(k.Nights), nil },
		func(text string) (err error) { k.Nights, err = strconv.Atoi(text); k.Nights++; return err }))
}

type meddling struct{ GuestID, HostID string } // its host's name is a new one for its guest

func (k *meddling) Form(f *key.Form) {
	f.PK("GUEST#", key.Custom("GuestID",
		func() (string, error) { return k.GuestID, nil },
		func(text string) error { k.GuestID = text; return nil }))
	f.SK("HOST#", key.Custom("HostID",
		func() (string, error) { return strings.TrimSuffix(k.HostID, "!"), nil },
		func(text string) error {
			k.HostID = text
			if text != "host_1" {
				k.GuestID += "'"
			}
			return nil
		}))
}

type unpadded nights

func (k *unpadded) Form(f *key.Form) {
	f.PK("GUEST#", key.ID("GuestID", &k.GuestID))
	f.SK("NIGHTS#", key.Custom("Nights",
		func() (string, error) { return strconv.Itoa(k.Nights), nil },
		func(text string) (err error) { k.Nights, err = strconv.Atoi(text); return err }), "#")
}

type endless struct{ A, B, C, D string }

func (k *endless) Form(f *key.Form) {
	f.PK("GUEST")
	f.SK(key.Text("A", &k.A), "#", key.Text("B", &k.B), "#", key.Text("C", &k.C), "#", key.Text("D", &k.D))
}

type endlessPartition struct{ A, B, C, D, E, F, G, H string }

func (k *endlessPartition) Form(f *key.Form) {
	f.PK(key.Text("A", &k.A), "#", key.Text("B", &k.B), "#", key.Text("C", &k.C), "#", key.Text("D", &k.D), "#",
		key.Text("E", &k.E), "#", key.Text("F", &k.F), "#", key.Text("G", &k.G), "#", key.Text("H", &k.H))
}

type twin guest

func (k *twin) Form(f *key.Form) { (*guest)(k).Form(f) }

// overlapping reads some of the keys of guests, not that of the sample.
type overlapping guest

func (k *overlapping) Form(f *key.Form) {
	f.PK("GUEST#", key.Word("GuestID", &k.GuestID))
	f.SK("PROFILE")
}

// notOnes and notTwos read each other's keys where both values are others than those of either sample.
type (
	notOnes struct{ A, B string }
	notTwos struct{ A, B string }
)

func (k *notOnes) Form(f *key.Form) { f.PK("A#", not("1", "A", &k.A)); f.SK("B#", not("1", "B", &k.B)) }
func (k *notTwos) Form(f *key.Form) { f.PK("A#", not("2", "A", &k.A)); f.SK("B#", not("2", "B", &k.B)) }

func not(refused, name string, p *string) key.Value {
	encode := func() (string, error) {
		if *p == refused {
			return "", errors.New("is refused")
		}
		return *p, nil
	}
	return key.Custom(name, encode, func(text string) error { *p = text; return nil })
}

func TestCheckFindsWrongDeclarations(t *testing.T) {
	for want, types := range map[string][]Type{
		"at least one type is required":                  nil,
		"guest has no samples":                           {Samples[guest]()},
		"hidden has no exported fields":                  {Samples(hidden{"guest_1"})},
		"guest: {GuestID:}":                              {Samples(guest{})},
		"Parse does not return the sample":               {Samples(forgotten{"guest_1", 7})},
		"forgotten.Nights is not in the key":             {Samples(forgotten{"guest_1", 0})},
		"misnamed: the error for":                        {Samples(misnamed{"guest_1", "host_1"})},
		"nameless.GuestID":                               {Samples(nameless{"guest_1"})},
		"shifted GUEST#guest_1/7: unreadable item":       {Samples(shifted{"guest_1", 7})},
		"meddling: ":                                     {Samples(meddling{"guest_1", "host_1"})},
		"a sort key is longer than DynamoDB allows":      {Samples(endless{"a", "b", "c", "d"})},
		"a partition key is longer than DynamoDB allows": {Samples(endlessPartition{"a", "b", "c", "d", "e", "f", "g", "h"})},
		"is a key of guest and of twin":                  {Samples(guests), Samples(twin{"guest_1"})},
		"is a key of guest and of overlapping":           {Samples(guest{"Guest_1"}), Samples(overlapping{"guest_1"})},
		"is a key of notOnes and of notTwos":             {Samples(notOnes{"2", "2"}), Samples(notTwos{"1", "1"})},
	} {
		assert.Contains(t, said(t, func(t rapid.TB) { Check(t, types...) }), want)
	}
}

func TestInOrderFindsWhatIsNot(t *testing.T) {
	assert.Contains(t, said(t, func(t rapid.TB) { InOrder(t, unpadded{"a", 9}, unpadded{"a", 10}) }), "out of order")
	assert.Contains(t, said(t, func(t rapid.TB) { InOrder(t, stays, stays) }), "out of order", "equal keys")
	assert.Contains(t, said(t, func(t rapid.TB) { InOrder(t, stay{}, stays) }), "GuestID")
	assert.Contains(t, said(t, func(t rapid.TB) { InOrder(t, stays) }), "at least two keys")
	assert.Contains(t, said(t, func(t rapid.TB) { InOrder(t, forgotten{"a", 1}, forgotten{"b", 1}) }), "forgotten has no sort key")
}

func TestInOrderFindsAWrongBuilder(t *testing.T) {
	right := Samples(stay{"a", 7, "z"}, stay{"a", 70, "a"})
	for want, test := range map[string]struct {
		nights int
		prefix string
	}{
		"the SortPrefix is not a bound":   {70, "STAY#0"},
		"the SortPrefix \"STAY#0\" finds": {7, "STAY#0"},
	} {
		y := right
		y.sortPrefix = func(k any) (string, error) {
			if k.(stay).Nights == test.nights {
				return test.prefix, nil
			}
			return right.sortPrefix(k)
		}
		assert.Contains(t, said(t, y.inOrder), want)
	}
}

// What package key does not do unless it is changed itself.
func TestCheckFindsAWrongBuilder(t *testing.T) {
	sample := stay{"GUEST_1", 7, "Room 12"}
	for want, wrong := range map[string]func(y *Type, right Type){
		"accepts a text that it does not write": func(y *Type, right Type) {
			y.parse = func(stored dynastay.Key) (any, error) {
				stored.PK = strings.ToUpper(stored.PK)
				return right.parse(stored)
			}
		},
		"GUEST#GUEST_1#": func(y *Type, right Type) {
			y.parse = func(stored dynastay.Key) (any, error) {
				stored.PK = strings.TrimSuffix(stored.PK, "#")
				return right.parse(stored)
			}
		},
		"for the unreadable": func(y *Type, right Type) {
			y.parse = func(stored dynastay.Key) (any, error) {
				k, err := right.parse(stored)
				if err != nil {
					return sample, err
				}
				return k, nil
			}
		},
		"in chain": func(y *Type, right Type) {
			y.parse = func(stored dynastay.Key) (any, error) {
				k, err := right.parse(stored)
				if err != nil {
					return k, errors.New("unreadable")
				}
				return k, nil
			}
		},
		"draw sort key": func(y *Type, right Type) {
			y.parse = func(stored dynastay.Key) (any, error) {
				k, err := right.parse(stored)
				if !strings.HasPrefix(stored.SK, "STAY#") {
					err = errors.New("unreadable")
				}
				return k, err
			}
		},
		"Place changes other fields": func(y *Type, right Type) {
			y.parse = func(stored dynastay.Key) (any, error) {
				k, err := right.parse(stored)
				if k := k.(stay); err == nil && k.Place != sample.Place {
					k.Nights = 1
					return k, nil
				}
				return k, err
			}
		},
		"+ Place: (string)": func(y *Type, right Type) {
			y.parse = func(stored dynastay.Key) (any, error) {
				k, err := right.parse(stored)
				if k := k.(stay); err == nil && k.Place != sample.Place && k.GuestID != sample.GuestID {
					k.Place = "#"
					return k, nil
				}
				return k, err
			}
		},
		"stay: GUEST#": func(y *Type, right Type) {
			y.of = func(k any) (dynastay.Key, error) {
				stored, err := right.of(k)
				stored.SK = strings.ReplaceAll(stored.SK, "%23", "#")
				return stored, err
			}
		},
		"a key despite the error": func(y *Type, right Type) {
			y.of = func(k any) (dynastay.Key, error) {
				stored, err := right.of(k)
				if err != nil {
					stored.PK = "GUEST#"
				}
				return stored, err
			}
		},
		"Should NOT be empty": func(y *Type, right Type) {
			y.of = func(k any) (dynastay.Key, error) {
				stored, err := right.of(k)
				var invalid *dynastay.InvalidError
				if errors.As(err, &invalid) {
					err = dynastay.Invalid(invalid.Field, "")
				}
				return stored, err
			}
		},
		"stay: the error for": func(y *Type, right Type) {
			y.of = func(k any) (dynastay.Key, error) {
				stored, err := right.of(k)
				if err != nil {
					err = dynastay.Invalid("ID", "is required")
				}
				return stored, err
			}
		},
		"*dynastay.InvalidError": func(y *Type, right Type) {
			y.of = func(k any) (dynastay.Key, error) {
				stored, err := right.of(k)
				if err != nil {
					err = dynastay.ErrCorrupt
				}
				return stored, err
			}
		},
		"Partition needs fields of the sort key": func(y *Type, right Type) {
			y.partition = func(k any) (string, error) { stored, err := right.of(k); return stored.PK, err }
		},
		"stay: Partition": func(y *Type, right Type) {
			y.partition = func(k any) (string, error) { return "GUEST#", nil }
		},
		"SortPrefix needs more than the first field": func(y *Type, right Type) {
			y.sortPrefix = func(k any) (string, error) { stored, err := right.of(k); return stored.SK, err }
		},
		"the SortPrefix": func(y *Type, right Type) {
			y.sortPrefix = func(k any) (string, error) { return "STAY#7#", nil }
		},
		"the SortKind": func(y *Type, right Type) { y.sortKind = "STAYS#" },
	} {
		right := Samples(sample)
		y := right
		wrong(&y, right)
		assert.Contains(t, said(t, func(t rapid.TB) { Check(t, y) }), want)
	}
}
