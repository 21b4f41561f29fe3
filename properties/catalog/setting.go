package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Setting is one configuration item of a platform, with a value of type T. Methods whose names end in Op return
// operations for [dynastay.DB.Write]; the methods without Op send the same operation alone.
type Setting[T any] struct {
	name    string
	catalog *Catalog[Versioned[T]]
}

// Versioned is the value of a setting with its version.
type Versioned[T any] struct {
	Name      string // of the setting
	Value     T
	UpdatedAt time.Time `json:",omitzero"`
	Version   int       // 1 after the create, incremented by every update
}

// NewSetting returns the setting with a name, such as "fees". The function declares the attributes of its value, as for
// [entity.Declare]. The values are not validated:
//
//	fees := catalog.NewSetting(db, "fees", func(f *entity.Fields, v *Fees) {
//		f.Int("CommissionPercent", &v.CommissionPercent)
//	})
//
// It sends no requests. It panics if the name cannot be part of a key, see [key.ID], or if the function declares an
// attribute twice, or one of ConfigId, EntityType, UpdatedAt and Version, which the setting has itself.
func NewSetting[T any](db *dynastay.DB, name string, declare func(f *entity.Fields, v *T)) *Setting[T] {
	if _, err := keys.Of(keys.CatalogItem{Catalog: configType, ItemID: name}); err != nil {
		panic(fmt.Sprintf("catalog.NewSetting: %v", renamed(err, "Name")))
	}
	return &Setting[T]{name, newCatalog(db, Spec[Versioned[T]]{
		Type: configType, Entity: "Config", ID: "ConfigId", Updated: "UpdatedAt", Version: keys.AttrVersion,
		IDOf: func(v *Versioned[T]) string { return v.Name },
		Codec: entity.Declare(func(f *entity.Fields, v *Versioned[T]) {
			f.String("ConfigId", &v.Name)
			declare(f, &v.Value)
			f.Time("UpdatedAt", &v.UpdatedAt)
			f.IfSet().Int(keys.AttrVersion, &v.Version)
		}),
	})}
}

// Get reads the setting, or fails with [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent]. 1 request.
func (s *Setting[T]) Get(ctx context.Context, opts ...dynastay.ReadOption) (*Versioned[T], error) {
	return s.catalog.Get(ctx, s.name, opts...)
}

// CreateOp stores the first value of the setting. It fails with [dynastay.ErrAlreadyExists] if the setting exists.
func (s *Setting[T]) CreateOp(value T) *dynastay.Operation[*Versioned[T]] {
	return s.catalog.CreateOp(Versioned[T]{Name: s.name, Value: value})
}

// Create runs [Setting.CreateOp]. 1 request.
func (s *Setting[T]) Create(ctx context.Context, value T, opts ...dynastay.WriteOption) (*Versioned[T], error) {
	return dynastay.Do(ctx, s.catalog.db, s.CreateOp(value), opts...)
}

// UpdateOp reads the setting consistently, passes its value to fn, and writes the difference, as [Catalog.UpdateOp]
// does. It fails with [dynastay.ErrNotFound], and with [dynastay.ErrVersion] if the condition of [dynastay.IfVersion]
// does not hold.
func (s *Setting[T]) UpdateOp(fn func(*T) error, opts ...dynastay.UpdateOption) *dynastay.Operation[*Versioned[T]] {
	return s.catalog.UpdateOp(s.name, func(v *Versioned[T]) error { return fn(&v.Value) }, opts...)
}

// Update runs [Setting.UpdateOp]. 2 requests: a consistent GetItem, and the write.
func (s *Setting[T]) Update(
	ctx context.Context, fn func(*T) error, opts ...dynastay.UpdateOption,
) (*Versioned[T], error) {
	return dynastay.Do(ctx, s.catalog.db, s.UpdateOp(fn, opts...))
}

// DeleteOp deletes the setting. It fails with [dynastay.ErrNotFound], unless [dynastay.OrMissing] is given, and with
// [dynastay.ErrVersion] if the condition of [dynastay.IfVersion] does not hold.
func (s *Setting[T]) DeleteOp(opts ...dynastay.UpdateOption) *dynastay.Operation[struct{}] {
	return s.catalog.DeleteOp(s.name, opts...)
}

// Delete runs [Setting.DeleteOp]. 1 request.
func (s *Setting[T]) Delete(ctx context.Context, opts ...dynastay.UpdateOption) error {
	return s.catalog.Delete(ctx, s.name, opts...)
}
