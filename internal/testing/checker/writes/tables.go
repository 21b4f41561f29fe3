// Package writes runs and checks the library's own writes, on tables of an application that is no hotel: creations, updates and
// deletions, alone and together, under keys, of unique names, of goods that others want too, and in batches.
package writes

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// plain is a stored item without the library.
type plain = map[string]any

// Tables are those of the writes.
var Tables = []*dynastay.Schema{
	lockTable, latchTable, counterEntity.Schema, messageEntity.Schema, accountEntity.Schema, entryEntity.Schema, importTable, shopTable,
	signTable, registerTable, goodsTable, basketEntity.Schema, orderEntity.Schema, shelfTable, removedTable, parcelEntity.Schema,
}

// Join adds the writes to a run.
func Join(c *checker.Run) {
	outbox := newOutbox(c)
	c.Add(newLocks(c), 18)
	c.Add(newCounters(c), 26)
	c.Add(outbox, 14)
	c.Add(newTransfers(c), 12)
	c.Add(newImports(c), 1)
	c.Add(newShops(c, outbox), 16)
	c.Add(newOrders(c), 14)
	c.Add(newReturns(c), 16)
}

// tableSet is what a process has of the tables of an application, which have nothing to do with a hotel.
type tableSet struct {
	locks, latches *entity.Table[lock]
	counters       *entity.Table[counter]
	outbox         *entity.Table[message]
	accounts       *entity.Table[account]
	journal        *entity.Table[entry]
	shops          *entity.Table[shop]
	baskets        *entity.Table[basket]
	orders         *entity.Table[order]
	parcels        *entity.Table[parcel]
}

var tablesOf = checker.Each(func(p *checker.Process) *tableSet {
	return &tableSet{
		locks: entity.NewTable(p.DB, lockIn(lockTable)), latches: entity.NewTable(p.DB, lockIn(latchTable)),
		counters: entity.NewTable(p.DB, counterEntity), outbox: entity.NewTable(p.DB, messageEntity),
		accounts: entity.NewTable(p.DB, accountEntity), journal: entity.NewTable(p.DB, entryEntity),
		shops: entity.NewTable(p.DB, shopEntity), baskets: entity.NewTable(p.DB, basketEntity),
		orders: entity.NewTable(p.DB, orderEntity), parcels: entity.NewTable(p.DB, parcelEntity),
	}
})
