package availability

import (
	"path"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
)

// zoneCache caches time zones, because reading one from its file takes longer than everything else that is computed for
// a quote. It caches only zones that exist in the time zone database, never unknown names, so its size is limited.
type zoneCache struct {
	mu     sync.RWMutex
	loaded map[string]*time.Location
}

var zones = zoneCache{loaded: map[string]*time.Location{}}

func (z *zoneCache) load(name string) (*time.Location, error) {
	z.mu.RLock()
	loc := z.loaded[name]
	z.mu.RUnlock()
	if loc != nil {
		return loc, nil
	}
	loc, err := time.LoadLocation(name)
	// "Local" is the zone of the machine that this process runs on. "Europe//Rome" is a valid path to the file of a zone,
	// but one of any number of such paths.
	if err != nil || name == "Local" || name != "" && name != path.Clean(name) {
		return nil, dynastay.Invalid("TimeZone", "must be a valid IANA time zone")
	}
	z.mu.Lock()
	z.loaded[name] = loc
	z.mu.Unlock()
	return loc, nil
}
