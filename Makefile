# See CONTRIBUTING.md. Any engine will do; DYNTEST_ENGINE selects one.
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
	go test -count=1 -run '^TestStaysUnderPlansCostWhatTheModelSays$$' ./bookings -rates.stays 5000
	go test -count=1 -run '^(TestChargesFromTheOfferToTheRefund|TestWhatIsDueWhen)$$' ./bookings -charges.stays 5000 -due.stays 3000
	go test -count=1 -timeout 60m -run '^TestManyStays$$' ./availability/charges -charges.stays 1000000
	go test -count=1 -run '^TestUnitsAgreeWithTheModel$$' ./bookings -model.operations 20000
	go test -count=1 -run '^(TestClosingIsResumable|TestTwoChannelManagers)$$' ./availability -closings=-1 -managers.nights 365 -managers.rounds 4
	go test -count=1 -run '^(TestNothingDerivedIsEverStale|TestListsAgreeWithTheMarket|TestPagesWhilePropertiesMove|TestSearchAgreesWithTheMarket)$$' \
		./properties ./properties/search -market.properties 2000 -rapid.checks 60
	go test -count=1 -run '^(TestModel|TestDevicesAtTheSameTime)$$' ./examples/traveltracker/tracker -model.operations 10000 -storm.operations 30
	go test -count=1 -run '^(TestModel|TestFeeds)$$' ./availability/listing -model.operations 10000 -feed.syncs 300
	go test -count=1 -run '^(TestModel|TestStorm)$$' ./bookings/venue -model.operations 5000 -storms 12
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
	go test -count=1 -run '^(TestKnownDifferences|TestCases|TestServiceFindsMistakes)$$' ./dyntest/contract -update
