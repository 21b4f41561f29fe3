package properties

import (
	"context"

	"github.com/dynastay/dynastay"
)

// Public reads properties for guests: one that is not approved, such as a suspended one, is not found. The lists of
// [Repository] by city, price, stars, type, amenities and place, and package search, have only approved properties
// anyway. Give the handlers of guests a Public instead of the [Repository], and none of them can show a property that
// waits for approval. Its methods send the requests of the methods of Repository with the same names.
type Public struct{ r *Repository }

// Public returns the public view of this repository. It sends no requests.
func (r *Repository) Public() *Public { return &Public{r} }

// Get is [Repository.Get] for an approved property.
func (p *Public) Get(ctx context.Context, propertyID string, opts ...dynastay.ReadOption) (*Property, error) {
	found, err := p.r.Get(ctx, propertyID, opts...)
	if err == nil && found.Status != Approved {
		return nil, p.r.notFound("properties.Get", propertyID)
	}
	return found, err
}

// GetAll is [Repository.GetAll] for approved properties. The others are nil.
func (p *Public) GetAll(ctx context.Context, propertyIDs []string, opts ...dynastay.ReadOption) ([]*Property, error) {
	all, err := p.r.GetAll(ctx, propertyIDs, opts...)
	for i, found := range all {
		if found != nil && found.Status != Approved {
			all[i] = nil
		}
	}
	return all, err
}

// GetWithRooms is [Repository.GetWithRooms] for an approved property.
func (p *Public) GetWithRooms(ctx context.Context, propertyID string, opts ...dynastay.ReadOption) (*WithRooms, error) {
	found, err := p.r.GetWithRooms(ctx, propertyID, opts...)
	if err == nil && found.Status != Approved {
		return nil, p.r.notFound("properties.GetWithRooms", propertyID)
	}
	return found, err
}

// GetWhole is [Repository.GetWhole] for an approved property.
func (p *Public) GetWhole(ctx context.Context, propertyID string, opts ...dynastay.ReadOption) (*Whole, error) {
	found, err := p.r.GetWhole(ctx, propertyID, opts...)
	if err == nil && found.Status != Approved {
		return nil, p.r.notFound("properties.GetWhole", propertyID)
	}
	return found, err
}

// BySlug is [Repository.BySlug] for an approved property.
func (p *Public) BySlug(ctx context.Context, slug string, opts ...dynastay.ReadOption) (*WithRooms, error) {
	found, err := p.r.BySlug(ctx, slug, opts...)
	if err == nil && found.Status != Approved {
		return nil, p.r.notFound("properties.BySlug", slug)
	}
	return found, err
}
