package entity_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
)

// reviewsTable is a service's own table.
var reviewsTable = &dynastay.Schema{
	Name: "Reviews", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"},
	Indexes: []dynastay.Index{
		{Name: "ByProperty", Key: dynastay.KeyNames{Partition: "GSI1PK", Sort: "GSI1SK"}},
		{Name: "ByUser", Key: dynastay.KeyNames{Partition: "GSI2PK", Sort: "GSI2SK"}},
		{Name: "Pending", Key: dynastay.KeyNames{Partition: "GSI3PK", Sort: "GSI3SK"}},
	},
}

type reviewKey struct{ ReviewID string }

func (k *reviewKey) Form(f *key.Form) {
	f.PK("REVIEW#", key.ID("ReviewID", &k.ReviewID))
	f.SK("METADATA")
}

// bookingGuard reserves a booking for one review.
type bookingGuard struct{ BookingID string }

func (k *bookingGuard) Form(f *key.Form) {
	f.PK("BOOKING#", key.ID("BookingID", &k.BookingID))
	f.SK("REVIEW")
}

type byProperty struct {
	PropertyID string
	Created    time.Time
	ReviewID   string
}

func (k *byProperty) Form(f *key.Form) {
	f.PK("PROPERTY#", key.ID("PropertyID", &k.PropertyID))
	f.SK("CREATED#", key.Instant("Created", &k.Created), "#REVIEW#", key.ID("ReviewID", &k.ReviewID))
}

type byUser struct {
	UserID   string
	Created  time.Time
	ReviewID string
}

func (k *byUser) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("CREATED#", key.Instant("Created", &k.Created), "#REVIEW#", key.ID("ReviewID", &k.ReviewID))
}

type pending struct {
	Created  time.Time
	ReviewID string
}

func (k *pending) Form(f *key.Form) {
	f.PK("STATUS#pending")
	f.SK("CREATED#", key.Instant("Created", &k.Created), "#REVIEW#", key.ID("ReviewID", &k.ReviewID))
}

type reviewStatus string

const (
	isPending  reviewStatus = "pending"
	isApproved reviewStatus = "approved"
)

// review is a guest's review of a stay.
type review struct {
	ID, PropertyID, UserID, BookingID string

	Status  reviewStatus
	Rating  dynastay.Rating
	Text    string
	Helpful int // votes; each is a delta

	CreatedAt, UpdatedAt time.Time
	Version              int
}

func (r *review) validate() error {
	if strings.TrimSpace(r.Text) == "" {
		return dynastay.Invalid("Text", "is required")
	}
	if err := entity.CheckText(r.Text, entity.MaxNote); err != nil {
		return dynastay.Within("Text", err)
	}
	return dynastay.Within("Rating", r.Rating.Validate())
}

var reviewEntity = entity.New(entity.Spec[review]{
	Name: "Review", Operations: "reviews", Schema: reviewsTable, Validate: (*review).validate,
	ID: "ReviewId", Prefix: "rev_", Created: "CreatedAt", Updated: "UpdatedAt", Version: "Version",
	Counters: []string{"HelpfulCount"},
	Key:      func(r *review) (dynastay.Key, error) { return key.Of(reviewKey{r.ID}) },
	Codec: entity.Declare(func(f *entity.Fields, r *review) {
		f.String("ReviewId", &r.ID)
		f.String("PropertyId", &r.PropertyID)
		f.String("UserId", &r.UserID)
		f.String("BookingId", &r.BookingID)
		entity.String(f, "Status", &r.Status)
		f.Rating("Rating", &r.Rating)
		f.String("Text", &r.Text)
		f.Int("HelpfulCount", &r.Helpful)
		f.Time("CreatedAt", &r.CreatedAt)
		f.Time("UpdatedAt", &r.UpdatedAt)
		f.IfSet().Int("Version", &r.Version)
	}),
	Indexes: map[string]func(*review) (dynastay.Key, error){
		"ByProperty": func(r *review) (dynastay.Key, error) {
			if r.Status != isApproved {
				return dynastay.Key{}, nil // not shown
			}
			return key.Of(byProperty{r.PropertyID, r.CreatedAt, r.ID})
		},
		"ByUser": func(r *review) (dynastay.Key, error) { return key.Of(byUser{r.UserID, r.CreatedAt, r.ID}) },
		"Pending": func(r *review) (dynastay.Key, error) {
			if r.Status != isPending {
				return dynastay.Key{}, nil
			}
			return key.Of(pending{r.CreatedAt, r.ID})
		},
	},
	Unique: []entity.Unique[review]{{
		Field: "BookingID", Owner: []string{"ReviewId"},
		Guard: func(r *review) (dynastay.Key, error) { return key.Of(bookingGuard{r.BookingID}) },
	}},
})

// reviews is the repository.
type reviews struct{ table *entity.Table[review] }

func (r reviews) create(ctx context.Context, v review, opts ...dynastay.WriteOption) (*review, error) {
	v.Status, v.Helpful = isPending, 0
	return r.table.Create(ctx, &v, opts...)
}

// edit changes the text of the version that the author has seen, and sends the review back to moderation.
func (r reviews) edit(ctx context.Context, id, text string, version int) (*review, error) {
	return r.update(ctx, id, func(v *review) { v.Text, v.Status = text, isPending }, dynastay.IfVersion(version))
}

func (r reviews) approve(ctx context.Context, id string) (*review, error) {
	return r.update(ctx, id, func(v *review) { v.Status = isApproved })
}

func (r reviews) update(ctx context.Context, id string, change func(*review), opts ...dynastay.UpdateOption) (*review, error) {
	at, err := key.Of(reviewKey{id})
	if err != nil {
		return nil, err
	}
	return r.table.Update(ctx, at, func(v *review) error { change(v); return nil }, opts...)
}

func (r reviews) delete(ctx context.Context, id string) error {
	at, err := key.Of(reviewKey{id})
	if err != nil {
		return err
	}
	return r.table.Delete(ctx, at)
}

// byProperty lists the approved reviews of a property, the newest first.
func (r reviews) byProperty(propertyID string) dynastay.List[*review] {
	partition, err := key.Partition(byProperty{PropertyID: propertyID})
	if err != nil {
		return dynastay.NoList[*review](err)
	}
	return r.table.List(dynastay.Query{
		Name: "reviews.ByProperty", Index: "ByProperty", Partition: partition, Descending: true,
	})
}

func (r reviews) byBooking(ctx context.Context, bookingID string) (*review, error) {
	return r.table.Find(ctx, "BookingID", &review{BookingID: bookingID})
}

// A service's own entity: keys, table, three indexes, one unique value, and a repository.
func Example() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow()) // in a test, dyntest.New does this and creates the tables
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, reviewsTable); err != nil {
		log.Fatal(err)
	}
	db := dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix})
	repo := reviews{entity.NewTable(db, reviewEntity)}

	stay := review{PropertyID: "prop_1", UserID: "user_1", BookingID: "bkg_1", Rating: 92, Text: "Quiet rooms."}
	made, err := repo.create(ctx, stay)
	if err != nil {
		log.Fatal(err)
	}
	_, err = repo.create(ctx, stay)
	var failure *dynastay.Error
	if errors.As(err, &failure) && errors.Is(err, dynastay.ErrAlreadyExists) {
		fmt.Println("a second review:", failure.Field, "is taken")
	}

	shown := func() {
		page, err := repo.byProperty("prop_1").Page(ctx, dynastay.Paging{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(page.Items), "shown")
	}
	approved, err := repo.approve(ctx, made.ID)
	if err != nil {
		log.Fatal(err)
	}
	shown()
	if _, err := repo.edit(ctx, made.ID, "Quiet rooms, loud bar.", approved.Version); err != nil {
		log.Fatal(err)
	}
	shown() // waits for moderation again
	_, err = repo.edit(ctx, made.ID, "Never mind.", approved.Version)
	fmt.Println("an edit of what was edited since:", errors.Is(err, dynastay.ErrVersion))

	found, err := repo.byBooking(ctx, "bkg_1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Text)
	if err := repo.delete(ctx, made.ID); err != nil {
		log.Fatal(err)
	}
	_, err = repo.create(ctx, stay)
	fmt.Println("a new one, once it is deleted:", err == nil)
	// Output:
	// a second review: BookingID is taken
	// 1 shown
	// 0 shown
	// an edit of what was edited since: true
	// Quiet rooms, loud bar.
	// a new one, once it is deleted: true
}
