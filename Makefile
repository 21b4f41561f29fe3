# See CONTRIBUTING.md. Any engine will do; DYNTEST_ENGINE selects one.
SHELL := bash
.PHONY: quick test full bench docs

quick:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	go vet ./...
	go test -skip 'Model|Storm|Race|Lives|Resumable|Survive|Cost|World' ./...

test:
	go test ./...

full:
	.ci/run
	.ci/apidiff
	cd observe/otel && go test -race -count=1 ./...
	cd observe/prometheus && go test -race -count=1 ./...
	go test -count=1 -timeout 60m -run '^(TestModel|TestModifyAgreesWithTheModel)$$' ./bookings -model.operations 20000 -rapid.checks 100
	go test -count=1 -timeout 60m -run '^(TestStaysUnderPlansCostWhatTheModelSays|TestChargesFromTheOfferToTheRefund|TestWhatIsDueWhen)$$' ./bookings \
		-rates.stays 5000 -charges.stays 5000 -due.stays 3000
	go test -count=1 -timeout 60m -run '^(TestChangingNightsAreLinearizable|TestManyBuyersOfChangingNights|TestChangingRatesAreLinearizable|TestManyBuyersOfChangingRates|TestManyLives|TestCostOfListsOfBookingsIsFlat)$$' \
		./bookings -changing.calls 30 -life.calls 60 -lists.bookings 2000
	go test -count=1 -timeout 60m -run '^TestUnitsAgreeWithTheModel$$' ./bookings -model.operations 20000
	go test -count=1 -timeout 60m -run '^TestManyStays$$' ./availability/charges -charges.stays 1000000
	go test -count=1 -timeout 60m -run '^(TestClosingIsResumable|TestTwoChannelManagers)$$' ./availability -closings=-1 -managers.nights 365 -managers.rounds 4
	go test -count=1 -timeout 60m -run '^TestModel$$' ./availability -rapid.checks 60
	go test -count=1 -timeout 60m -run '^(TestStatusIsResumable|TestDeleteIsResumable|TestManyWritersOfOneProperty|TestAnyTwoCallsMeet)$$' ./properties \
		-breaks=-1 -delete.rooms 12 -writers.calls 12 -meetings 20
	go test -count=1 -timeout 60m -run '^(TestNothingDerivedIsEverStale|TestNearFindsExactly|TestListsAgreeWithTheMarket|TestPagesWhilePropertiesMove|TestCostOfListsIsFlat|TestCostOfAmenities)$$' \
		./properties -market.properties 2000 -near.properties 3000 -near.points 1000 -lists.properties 10000 -rapid.checks 60
	go test -count=1 -timeout 60m -run '^(TestSearchAgreesWithTheMarket|TestCostOfPages)$$' ./properties/search -market.properties 2000 -search.properties 10000 -rapid.checks 60
	go test -count=1 -timeout 90m -run '^TestAdoptionOfAPlatform$$' ./migrate -platform.properties 10000 -platform.hotels 100 -platform.bookings 20000 -platform.calls 1500
	go test -count=1 -timeout 60m -run '^TestLoadDuringAStorm$$' ./migrate -load.bookings 40000 -load.invalid 200
	go test -count=1 -timeout 60m -run '^(TestModel|TestEraseLeavesNoTraceWhenItIsRepeated)$$' ./users -model.operations 10000 -breaks=-1
	go test -count=1 -timeout 60m -run '^TestModel$$' ./reviews -model.operations 1000
	go test -count=1 -timeout 60m -run '^(TestModel|TestDevicesAtTheSameTime)$$' ./examples/traveltracker/tracker -model.operations 10000 -storm.operations 30
	go test -count=1 -timeout 60m -run '^(TestModel|TestFeeds)$$' ./availability/listing -model.operations 10000 -feed.syncs 300
	go test -count=1 -timeout 60m -run '^TestPlansOfFeeds$$' ./availability/listing -rapid.checks 20000
	go test -count=1 -timeout 60m -run '^(TestModel|TestStorm)$$' ./bookings/venue -model.operations 5000 -storms 12
	go test -count=1 -timeout 60m -p 1 -run '^TestModel$$' ./examples/marketplace/{projects,shop,messages,reviews} -model.operations 2000
	go test -count=1 -timeout 60m -run '^TestModel$$' ./examples/marketplace/people -model.operations 40
	go test -count=1 -timeout 60m -run '^TestNothingIsLostInAStorm$$' ./entity/stream/consumer -storm.writes 1500
	DYNTEST_ENGINE=dynoxide go test -count=1 -run '^TestCostOfMany$$' ./docs -growth 100000
	.ci/fuzz
	go run ./internal/testing/mutation

bench:
	go test -run '^$$' -bench . ./...

docs:
	go test -count=1 -run '^(TestPatterns|TestNames|TestEveryPatternHasItsMethod|TestDecisionsAreLinked|TestNumbersOfLimits)$$' . -update
	DYNTEST_ENGINE=dynoxide go test -count=1 ./docs -update -growth 100000
	go test -count=1 -run '^(TestTableOfMetrics|TestDashboard)$$' ./observe/measure -update
	cd observe/otel && DYNTEST_ENGINE=dynoxide go test -count=1 -run '^(TestPictureOfATrace|TestGoOfThePage)$$' . -update
	cd observe/prometheus && go test -count=1 -run '^TestGoOfThePage$$' . -update
	go test -count=1 -run '^TestPageOfPermissions$$' ./provision/policy -update
	DYNTEST_ENGINE=dynoxide go test -count=1 -p 1 -run '^TestCost' ./availability ./availability/listing ./bookings ./bookings/venue \
		./properties ./properties/catalog ./properties/search ./reviews ./users -update
	go test -count=1 -p 1 -run '^(TestBrochures|TestRoomTypesOnACard)$$' ./availability ./properties -update
	go test -count=1 -run '^TestDay$$' ./examples/hotel -update
	cd examples/frontdesk && DYNTEST_ENGINE=dynoxide go test -count=1 -run '^(TestBrowserGuest|TestBrowserDesk)$$' . $$(../../.ci/browser-tools) -shots ../../docs/images
	go test -count=1 -run '^(TestKnownDifferences|TestCases|TestServiceFindsMistakes)$$' ./dyntest/contract -update
