package properties_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/wire"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

var deleteRooms = flag.Int("delete.rooms", 3, "room types of the properties that are broken off while they are being deleted")

// withParts adds images and amenities to the seller's property.
func (s *seller) withParts(images, amenities int) {
	s.t.Helper()
	ctx := context.Background()
	var pictures []properties.Image
	for i := range images {
		pictures = append(pictures, properties.Image{ID: fmt.Sprintf("img_%02d", i), URL: "https://cdn.example.com/1.jpg"})
	}
	if images > 0 {
		_, err := s.direct.AddImages(ctx, s.id, pictures)
		require.NoError(s.t, err)
	}
	var ids []string
	for i := range amenities {
		ids = append(ids, fmt.Sprintf("a%02d", i))
	}
	_, err := s.direct.SetAmenities(ctx, s.id, ids)
	require.NoError(s.t, err)
}

// assertDeleted asserts that only the guards of the property's room types are left, closed for good, and that its
// nights are closed.
func (s *seller) assertDeleted(context ...any) {
	s.t.Helper()
	assert.Empty(s.t, partition(s.t, s.db, "PROPERTY#"+s.id), context...)
	assert.Empty(s.t, partition(s.t, s.db, "SLUG#slug-of-"+s.id), context...)
	for _, id := range s.guards() {
		assert.Contains(s.t, id, keys.ClosedByStatus, context...)
	}
	closed, open := s.marks()
	assert.Equal(s.t, []int{len(s.rooms) * s.opened, 0}, []int{closed, open}, context...)
}

// assertNotListed asserts that no search finds the property.
func (s *seller) assertNotListed(context ...any) {
	s.t.Helper()
	page, err := s.direct.ByCity(properties.CityQuery{City: "New York", Country: "USA"}).Page(s.t.Context(), dynastay.Paging{})
	require.NoError(s.t, err)
	for _, card := range page.Items {
		assert.NotEqual(s.t, s.id, card.PropertyID, context...)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 12, 2)
	s.withParts(30, 40)
	offer := s.mustQuote(s.rooms[3])
	stop := s.db.Faults.Record()
	require.NoError(t, s.repo.Delete(t.Context(), s.id))
	sent := stop()
	for _, r := range sent {
		if !strings.HasPrefix(r.Operation, "Transact") {
			assert.Contains(t, string(r.Body), `"ConsistentRead":true`)
		}
	}
	requests := wire.Operations(sent)
	// Property and room types, status with guards, the partition, and the property again with the last items; for each
	// room type, 3 Queries and the nights with 1 more; and the other items.
	assert.Len(t, requests, 7+12*5+1)
	s.assertDeleted()
	s.assertNotListed()
	s.assertOffSale(offer)
	_, err := s.tryOpen(s.rooms[0], "2026-08-01", 1)
	assert.Error(t, err)
	_, err = s.nights.ReopenSales(t.Context(), s.id)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)

	err = s.repo.Delete(t.Context(), s.id)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.ErrorContains(t, err, s.id)
	blame.Of(t, s.repo.Delete(t.Context(), "a#b"), dynastay.ErrInvalid, "PropertyID")

	// The slug is free again; the ids of the room types are not.
	used := s.rooms[0]
	_, err = s.repo.Create(t.Context(), grand("p2", func(p *properties.Property) { p.Slug = "slug-of-p1" }), []properties.RoomType{king(used, "100")})
	blame.Of(t, err, dynastay.ErrAlreadyExists, "RoomTypeID")
	_, err = s.repo.Create(t.Context(), grand("p2", func(p *properties.Property) { p.Slug = "slug-of-p1" }), []properties.RoomType{king("r2", "100")})
	require.NoError(t, err)
}

// A property can be deleted in every status, with as many items as it may have and more, and with those of other
// software.
func TestDeleteManyItems(t *testing.T) {
	t.Parallel()
	for _, status := range []properties.Status{properties.Pending, properties.Rejected, properties.Suspended, properties.Approved} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			s := openSeller(t, 0, 0)
			s.inStatus("p2", status)
			s.withParts(98, 88)
			for i := range 98 { // with the images and the room types, 198
				put(t, s.db, dynastay.Item{
					"PK": dynastay.Text("PROPERTY#p2"), "SK": dynastay.Text(fmt.Sprintf("%cEXTRA#%d", "AZ"[i%2], i)), "Kind": dynastay.Text("x"),
				})
			}
			sent := writes(s.db)
			require.NoError(t, s.repo.Delete(t.Context(), s.id))
			assert.Equal(t, 1+2+1, writes(s.db)-sent, "the status, 99 items each, and the property with its amenities")
			s.assertDeleted()
		})
	}
}

// Sold nights prevent the deletion, until they have passed or the bookings are cancelled.
func TestDeleteSoldAhead(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 2, 3)
	booked, err := s.book(s.mustQuote(s.rooms[1]))
	require.NoError(t, err)
	before, sent := allItems(t, s.db), writes(s.db)
	err = s.repo.Delete(t.Context(), s.id)
	sold := blame.As[*availability.SoldAheadError](t, err)
	assert.Equal(t, []availability.SoldNight{
		{RoomTypeID: s.rooms[1], Date: dynastay.MustDate("2026-07-01"), Rooms: 1}, {RoomTypeID: s.rooms[1], Date: dynastay.MustDate("2026-07-02"), Rooms: 1},
	}, sold.Nights)
	assert.Equal(t, before, allItems(t, s.db))
	assert.Equal(t, sent, writes(s.db))
	s.assertWhole()
	_, err = bookings.New(s.db.Direct, nil).Cancel(t.Context(), booked.ID, "changed plans", nil)
	require.NoError(t, err)
	require.NoError(t, s.repo.Delete(t.Context(), s.id))
	s.assertDeleted()
}

// A room is sold after the nights were read and before they are closed. The property stays off sale, and is deleted
// once the booking is cancelled.
func TestDeleteWhileARoomIsSold(t *testing.T) {
	t.Parallel()
	for nth := 1; nth <= 2; nth++ { // the status and the guards; the nights of the first room type
		t.Run(fmt.Sprint(nth), func(t *testing.T) {
			t.Parallel()
			s := openSeller(t, 1, 3)
			offer := s.mustQuote(s.rooms[0])
			var booked *bookings.Booking
			s.db.Faults.Inject(dyntest.Before(func(context.Context) {
				var err error
				booked, err = s.book(offer)
				assert.NoError(t, err)
			}), dyntest.When{Operation: "TransactWriteItems", Nth: nth})
			for range 2 {
				sold := blame.As[*availability.SoldAheadError](t, s.repo.Delete(t.Context(), s.id))
				assert.Len(t, sold.Nights, 2)
				assert.Equal(t, properties.Deleting, s.status())
				s.assertWhole()
				s.assertNotListed()
				s.assertOffSale(offer)
			}
			_, err := bookings.New(s.db.Direct, nil).Cancel(t.Context(), booked.ID, "changed plans", nil)
			require.NoError(t, err)
			require.NoError(t, s.repo.Delete(t.Context(), s.id))
			s.assertDeleted()
		})
	}
}

// A half-deleted property refuses every write but Delete, and reads as it is.
func TestHalfDeleted(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 2, 2)
	s.withParts(2, 2)
	offer := s.mustQuote(s.rooms[0])
	s.halfDeleted()
	s.assertWhole()
	s.assertNotListed()
	s.assertOffSale(offer)
	before, sent := allItems(t, s.db), writes(s.db)
	ctx, id, r := t.Context(), s.id, s.repo
	for name, call := range map[string]func() error{
		"Update":         func() error { _, err := r.Update(ctx, id, describe); return err },
		"AddRoomTypes":   func() error { _, err := r.AddRoomTypes(ctx, id, []properties.RoomType{king("new", "100")}); return err },
		"DeleteRoomType": func() error { return r.DeleteRoomType(ctx, id, s.rooms[0]) },
		"UpdateRoomType": func() error {
			_, err := r.UpdateRoomType(ctx, id, s.rooms[0], func(room *properties.RoomType) error { room.Total--; return nil })
			return err
		},
		"AddImages": func() error {
			_, err := r.AddImages(ctx, id, []properties.Image{{URL: "https://cdn.example.com/2.jpg"}})
			return err
		},
		"UpdateImage": func() error {
			_, err := r.UpdateImage(ctx, id, "img_00", func(i *properties.Image) error { i.AltText = "x"; return nil })
			return err
		},
		"SetPrimaryImage": func() error { _, err := r.SetPrimaryImage(ctx, id, "img_01"); return err },
		"ArrangeImages":   func() error { _, err := r.ArrangeImages(ctx, id, []string{"img_01"}); return err },
		"DeleteImage":     func() error { return r.DeleteImage(ctx, id, "img_01") },
		"AddAmenities":    func() error { _, err := r.AddAmenities(ctx, id, []string{"bar"}); return err },
		"RemoveAmenities": func() error { _, err := r.RemoveAmenities(ctx, id, []string{"a00"}); return err },
		"SetAmenities":    func() error { _, err := r.SetAmenities(ctx, id, []string{"bar"}); return err },
		"Rate":            func() error { _, err := r.Rate(ctx, id, 0, 90); return err },
	} {
		err := call()
		assertStatus(t, err, "properties."+name, properties.Deleting)
	}
	_, err := s.tryOpen(s.rooms[0], "2026-08-01", 1)
	assert.ErrorIs(t, err, availability.ErrClosed)
	_, err = s.nights.ReopenSales(ctx, id)
	assert.ErrorIs(t, err, availability.ErrSuspended)
	assert.Equal(t, sent, writes(s.db))
	assert.Equal(t, before, allItems(t, s.db))
	require.NoError(t, r.Delete(ctx, id))
	s.assertDeleted()
}

// Other software changes a half-deleted property and removes its write id. It stays half-deleted, and Delete finishes.
func TestHalfDeletedAndForeign(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 2, 2)
	s.halfDeleted()
	setDirectly(t, s.db, keyOf(s.id), "Name", "Other")
	_, err := s.repo.Update(t.Context(), s.id, describe)
	assertStatus(t, err, "properties.Update", properties.Deleting)
	s.assertWhole()
	setDirectly(t, s.db, keyOf(s.id), "Name", "Another")
	require.NoError(t, s.repo.Delete(t.Context(), s.id))
	s.assertDeleted()
}

// A deletion is broken off before or after a request, and repeated: with the flag -breaks=-1, at every request. With
// -delete.rooms=12, the property is a large one.
func TestDeleteIsResumable(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 0, 2)
	repo, rooms, n := once(s.db), *deleteRooms, 0
	next := func() *availability.Quote {
		n++
		s.create(fmt.Sprintf("p_%d", n), rooms)
		s.withParts(30, 40)
		return s.mustQuote(s.rooms[0])
	}
	next()
	stop := s.db.Faults.Record()
	require.NoError(t, repo.Delete(t.Context(), s.id))
	requests := len(stop())
	require.Equal(t, 8+5*rooms, requests)
	breakOff(t, requests, *breaks, func(nth int, fault dyntest.Fault, name string) {
		offer := next()
		at := fmt.Sprintf("broken off at the %s of request %d", name, nth)
		broken := s.db.Faults.Inject(fault, dyntest.When{Nth: nth, Times: 100 * requests, Optional: true})
		err := repo.Delete(t.Context(), s.id)
		broken.Stop()
		require.Error(t, err, at)
		p, err := s.direct.Get(t.Context(), s.id, dynastay.Consistent)
		switch {
		case errors.Is(err, dynastay.ErrNotFound): // only the last response was lost
			assert.Equal(t, requests, nth, at)
			assert.ErrorIs(t, repo.Delete(t.Context(), s.id), dynastay.ErrNotFound, at)
		case p.Status == properties.Deleting:
			s.assertGuards(at)
			assertKeys(t, s.db, s.id, at)
			s.assertNotListed(at)
			_, err := s.direct.Update(t.Context(), s.id, describe)
			assertStatus(t, err, "properties.Update", properties.Deleting)
			require.NoError(t, repo.Delete(t.Context(), s.id), at)
		default:
			s.assertWhole(at)
			require.NoError(t, repo.Delete(t.Context(), s.id), at)
		}
		s.assertDeleted(at)
		s.assertOffSale(offer, at)
	})
}

// Of two callers that delete a property, at least one succeeds, and the other may find nothing.
func TestDeleteTwice(t *testing.T) {
	t.Parallel()
	for i := range 5 {
		s := openSeller(t, 2, 2)
		s.withParts(3, 3)
		failed := make([]error, 2)
		racing.Together(2, func(i int) {
			failed[i] = properties.New(s.db.Open(&dynastay.Options{Retry: patient}), nil).Delete(t.Context(), s.id)
		})
		succeeded := 0
		for _, err := range failed {
			if err == nil {
				succeeded++
			} else {
				assert.ErrorIs(t, err, dynastay.ErrNotFound)
			}
		}
		assert.Positive(t, succeeded, "round %d", i)
		s.assertDeleted()
	}
}

// Another call deletes the property before a request of the first one, and it is created anew under the same id. What
// is new is not touched.
func TestDeleteOfAPropertyThatIsCreatedAnew(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 1, 1)
	s.withParts(2, 2)
	stop := s.db.Faults.Record()
	require.NoError(t, s.repo.Delete(t.Context(), s.id))
	sent := wire.Operations(stop())
	require.Equal(t, 13, len(sent))
	first := len(sent) - 1 // the last request that reads nothing of the new property
	for i, name := range sent {
		if name == "TransactWriteItems" { // the status
			first = i
			break
		}
	}
	for nth := first + 2; nth <= len(sent); nth++ {
		t.Run(fmt.Sprint(nth), func(t *testing.T) {
			t.Parallel()
			for _, status := range []properties.Status{"", properties.Pending, properties.Approved} {
				anew := status != ""
				s := openSeller(t, 1, 1)
				s.withParts(2, 2)
				old := s.rooms
				var created map[string]dynastay.Item
				s.db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
					if !assert.NoError(t, s.direct.Delete(ctx, s.id)) || !anew {
						return
					}
					_, err := s.direct.Create(ctx, grand(s.id, func(p *properties.Property) { p.Status = status }), []properties.RoomType{king("anew", "100")})
					assert.NoError(t, err)
					_, err = s.direct.AddImages(ctx, s.id, []properties.Image{{ID: "img_00", URL: "https://cdn.example.com/2.jpg"}})
					assert.NoError(t, err)
					created = partition(t, s.db, "PROPERTY#"+s.id)
				}), dyntest.When{Nth: nth})
				err := s.repo.Delete(t.Context(), s.id)
				assert.ErrorIs(t, err, dynastay.ErrNotFound)
				if !anew {
					s.rooms = old
					s.assertDeleted()
					continue
				}
				assert.Len(t, created, 1+1+1+3)
				assert.Equal(t, created, partition(t, s.db, "PROPERTY#"+s.id))
				assert.NotEmpty(t, partition(t, s.db, "SLUG#slug-of-"+s.id))
			}
		})
	}
}

// A property of other software is adopted and then deleted, even if it is broken off in between.
func TestDeleteForeign(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo, n := once(db), 0
	putForeign(t, db, "0")
	stop := db.Faults.Record()
	require.NoError(t, repo.Delete(t.Context(), "prop_0"))
	requests := len(stop())
	breakOff(t, requests, *breaks, func(nth int, fault dyntest.Fault, name string) {
		n++
		at := fmt.Sprintf("broken off at the %s of request %d", name, nth)
		id := fmt.Sprintf("prop_%d", n)
		putForeign(t, db, fmt.Sprint(n))
		broken := db.Faults.Inject(fault, dyntest.When{Nth: nth, Times: 100 * requests, Optional: true})
		require.Error(t, repo.Delete(t.Context(), id), at)
		broken.Stop()
		if err := repo.Delete(t.Context(), id); err != nil {
			require.ErrorIs(t, err, dynastay.ErrNotFound, at)
			require.Equal(t, requests, nth, at)
		}
		assert.Empty(t, partition(t, db, "PROPERTY#"+id), at)
	})
	for key := range allItems(t, db) {
		assert.True(t, strings.HasPrefix(key, "ROOM#"), key)
	}
}
