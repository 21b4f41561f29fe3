package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// configType is the type of the catalogue of configuration items.
const configType = "config"

// Spec declares a catalogue of entries of type T. Type, Entity, ID, Codec and IDOf are required.
type Spec[T any] struct {
	Type   string // the catalogue, such as "amenities"; "config" is reserved for [Setting]
	Entity string // an entry, such as "Amenity", for errors and as the EntityType of the item
	// Codec declares the attributes of an entry. It must not declare EntityType and SharedPrefix, which the catalogue
	// writes itself.
	Codec entity.Codec[T]

	ID     string          // the attribute that holds the id, such as "AmenityId"
	Prefix string          // prefix of the id that a create generates if it is empty; "" generates none
	IDOf   func(*T) string // returns the id of an entry

	// Names returns the names under which an entry is found, at most [MaxNames]. Names that are equal when they are
	// folded count as one. If a later version of the function no longer returns a name, stored entries are still found
	// by it. Optional: without it, Find and Complete are not supported.
	Names func(*T) []string
	// Validate checks an entry before it is written, for example with [CheckName]; its id and times are already set.
	// Optional.
	Validate func(*T) error

	// The names of further attributes that the library writes, see [entity.Spec]; "" for none. The codec must declare
	// them too.
	Created, Updated, Version string
}

// Catalog reads and writes the entries of one catalogue. Methods whose names end in Op return operations for
// [dynastay.DB.Write]; the methods without Op send the same operation alone.
type Catalog[T any] struct {
	db     *dynastay.DB
	spec   Spec[T]
	entity *entity.Entity[T]
	table  *entity.Table[T]
}

// New returns a catalogue. It sends no requests. It panics if the Spec is wrong: a required field is missing, Type is
// "config" or cannot be part of a key, IDOf does not return the attribute ID, or [entity.New] panics.
func New[T any](db *dynastay.DB, s Spec[T]) *Catalog[T] {
	if s.Type == configType {
		panic(`catalog.New: Type must not be "config", which is reserved for settings`)
	}
	return newCatalog(db, s)
}

func newCatalog[T any](db *dynastay.DB, s Spec[T]) *Catalog[T] {
	if _, err := keys.Partition(keys.CatalogItem{Catalog: s.Type}); err != nil {
		panic(fmt.Sprintf("catalog.New: Type: %v", err))
	}
	if s.Entity == "" || s.ID == "" || s.IDOf == nil {
		panic(fmt.Sprintf("catalog.New: %s: Entity, ID and IDOf are required", s.Type))
	}
	c := &Catalog[T]{db: db, spec: s}
	c.entity = entity.New(c.entitySpec())
	if c.probe() != "x" {
		panic(fmt.Sprintf("catalog.New: %s: IDOf must return attribute %s", s.Type, s.ID))
	}
	c.table = entity.NewTable(db, c.entity)
	return c
}

// probe returns what IDOf returns for an entry with the id x.
func (c *Catalog[T]) probe() string {
	v := new(T)
	_ = c.spec.Codec.Decode(dynastay.RowOf(dynastay.Item{c.spec.ID: dynastay.Text("x")}), v) // entity.New has tried it
	return c.spec.IDOf(v)
}

func (c *Catalog[T]) entitySpec() entity.Spec[T] {
	s := entity.Spec[T]{
		Name: c.spec.Entity, Operations: c.spec.Type, Schema: keys.MetadataTable, Codec: c.spec.Codec,
		ID: c.spec.ID, Prefix: c.spec.Prefix, Created: c.spec.Created, Updated: c.spec.Updated, Version: c.spec.Version,
		Key: func(v *T) (dynastay.Key, error) {
			key, err := c.key(c.spec.IDOf(v))
			return key, renamed(err, c.spec.ID) // the entity replaces it by its own field
		},
		IDOf: func(k dynastay.Key) string {
			_, id, _ := strings.Cut(k.SK, "ITEM#") // of an entry or of one of its names
			return id
		},
		Validate: c.spec.Validate,
		Derived: []entity.Derived[T]{
			{Name: keys.AttrEntityType, Value: func(*T) (types.AttributeValue, error) { return dynastay.Text(c.spec.Entity), nil }},
		},
	}
	if c.spec.Names != nil {
		s.Validate, s.Follow = c.validate, c.follow
		// Only the items of the names have it.
		s.Derived = append(s.Derived, entity.Derived[T]{Name: attrShared, Value: func(*T) (types.AttributeValue, error) { return nil, nil }})
	}
	return s
}

func (c *Catalog[T]) key(id string) (dynastay.Key, error) {
	key, err := keys.Of(keys.CatalogItem{Catalog: c.spec.Type, ItemID: id})
	return key, renamed(err, "ID")
}

// renamed replaces the field name of a key's error.
func renamed(err error, field string) error {
	var invalid *dynastay.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	return dynastay.Invalid(field, "%s", invalid.Reason)
}

// CreateOp creates an entry, with the items of its names. If the id is empty and the Spec has a Prefix, it is
// generated. CreateOp fails with [dynastay.ErrAlreadyExists] if the id exists, and with a [*dynastay.InvalidError] that
// names the field, or Names[i] if [CheckName] rejects the i-th name.
func (c *Catalog[T]) CreateOp(v T) *dynastay.Operation[*T] { return c.table.CreateOp(&v) }

// Create runs [Catalog.CreateOp]. 1 request.
func (c *Catalog[T]) Create(ctx context.Context, v T, opts ...dynastay.WriteOption) (*T, error) {
	return dynastay.Do(ctx, c.db, c.CreateOp(v), opts...)
}

// Get reads an entry by its id, or fails with [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent]. 1
// request.
func (c *Catalog[T]) Get(ctx context.Context, id string, opts ...dynastay.ReadOption) (*T, error) {
	key, err := c.key(id)
	if err != nil {
		return nil, err
	}
	return c.table.Get(ctx, key, opts...)
}

// UpdateOp reads an entry consistently, passes it to fn, and writes the difference together with the items of its
// names. Attributes that are unknown to the library are kept, and if two callers update the entry at the same time,
// both changes are kept; fn may be called more than once. It fails with [dynastay.ErrNotFound], with
// [dynastay.ErrVersion] if the condition of [dynastay.IfVersion] does not hold, and like [Catalog.CreateOp] for an
// invalid entry.
func (c *Catalog[T]) UpdateOp(id string, fn func(*T) error, opts ...dynastay.UpdateOption) *dynastay.Operation[*T] {
	key, err := c.key(id)
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*T]{Name: c.entity.Operations + ".Update", Invalid: err})
	}
	return c.table.UpdateOp(key, fn, opts...)
}

// Update runs [Catalog.UpdateOp]. 2 requests: a consistent GetItem, and the write.
func (c *Catalog[T]) Update(
	ctx context.Context, id string, fn func(*T) error, opts ...dynastay.UpdateOption,
) (*T, error) {
	return dynastay.Do(ctx, c.db, c.UpdateOp(id, fn, opts...))
}

// DeleteOp deletes an entry and the items of its names. It does not check whether properties still use the id. It fails
// with [dynastay.ErrNotFound], unless [dynastay.OrMissing] is given, and with [dynastay.ErrVersion] if the condition of
// [dynastay.IfVersion] does not hold.
func (c *Catalog[T]) DeleteOp(id string, opts ...dynastay.UpdateOption) *dynastay.Operation[struct{}] {
	key, err := c.key(id)
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[struct{}]{Name: c.entity.Operations + ".Delete", Invalid: err})
	}
	return c.table.DeleteOp(key, opts...)
}

// Delete runs [Catalog.DeleteOp]. 2 requests: a consistent GetItem, and the write. 1 request if the Spec has no Names.
func (c *Catalog[T]) Delete(ctx context.Context, id string, opts ...dynastay.UpdateOption) error {
	_, err := dynastay.Do(ctx, c.db, c.DeleteOp(id, opts...))
	return err
}

// All lists the entries by id. 1 request per page.
func (c *Catalog[T]) All() dynastay.List[*T] {
	return c.table.List(c.query("All", keys.SortKind[keys.CatalogItem]()))
}

// query reads the part of the catalogue whose sort keys begin with prefix.
func (c *Catalog[T]) query(method, prefix string) dynastay.Query {
	partition, _ := keys.Partition(keys.CatalogItem{Catalog: c.spec.Type}) // New has checked it
	return dynastay.Query{
		Name: c.entity.Operations + "." + method, Partition: partition, Range: dynastay.Range{Prefix: prefix},
	}
}
