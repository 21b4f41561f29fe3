package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay/keys/listingkeys"
	"github.com/dynastay/dynastay/keys/venuekeys"
	"github.com/dynastay/dynastay/provision"
)

// declared are the flags that say what the tables must be.
type declared struct {
	Prefix   string   `help:"What the names of the tables begin with." placeholder:"prod-"`
	Suffix   string   `help:"What the names of the tables end with, as --suffix=-v2."`
	System   []string `help:"The systems in use: hotel, listing, venue." enum:"hotel,listing,venue" default:"hotel"`
	Settings string   `help:"A JSON file with settings by the names of the tables, without prefix and suffix, as in package provision." type:"existingfile" placeholder:"FILE"`
}

// tables returns what the tables must be.
func (d declared) tables() ([]provision.Table, error) {
	var all []provision.Table
	if slices.Contains(d.System, "hotel") {
		all = provision.Hotel(d.Prefix, d.Suffix)
	}
	if slices.Contains(d.System, "listing") {
		all = append(all, provision.Tables(d.Prefix, d.Suffix, listingkeys.Table)...)
	}
	if slices.Contains(d.System, "venue") {
		all = append(all, provision.Tables(d.Prefix, d.Suffix, venuekeys.Table)...)
	}
	if len(all) == 0 { // of a variable that is not set: to compare nothing would look like success
		return nil, errors.New("--system must name at least one of hotel, listing and venue")
	}
	if d.Settings == "" {
		return all, nil
	}
	settings, err := readSettings(d.Settings)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if s, has := settings[all[i].Schema.Name]; has {
			all[i].Settings = s
			delete(settings, all[i].Schema.Name)
		}
	}
	for name := range settings {
		var names []string
		for _, t := range all {
			names = append(names, t.Schema.Name)
		}
		return nil, fmt.Errorf("%s: %s is not one of the tables %s", d.Settings, name, strings.Join(names, ", "))
	}
	return all, nil
}

func readSettings(file string) (settings map[string]provision.Settings, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var byTable map[string]json.RawMessage
	if err := json.Unmarshal(text, &byTable); err != nil {
		return nil, fmt.Errorf("%s must have the settings of tables as JSON: %w", file, err)
	}
	settings = map[string]provision.Settings{}
	for _, name := range slices.Sorted(maps.Keys(byTable)) {
		decoder := json.NewDecoder(bytes.NewReader(byTable[name]))
		decoder.DisallowUnknownFields() // a misspelt setting would be ignored
		var s provision.Settings
		if err := decoder.Decode(&s); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, name, err)
		}
		settings[name] = s
	}
	return settings, nil
}

// account are the flags that say where the tables are. Everything else is what the SDK finds in the environment.
type account struct {
	Endpoint string `help:"The address of a local engine. Target tracking is not compared there." placeholder:"http://localhost:8000"`
	Region   string `help:"The region of the tables. Default: that of the environment."`
}

// open returns the clients. A local engine needs credentials in the environment too, whatever they are.
func (a account) open(ctx context.Context) (*dynamodb.Client, provision.Scaling, error) {
	cfg, err := config.LoadDefaultConfig(ctx, func(o *config.LoadOptions) error {
		o.Region = a.Region
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if cfg.Region == "" {
		return nil, nil, errors.New("there is no region: use --region, or set AWS_REGION or AWS_PROFILE")
	}
	if a.Endpoint != "" {
		if at, err := url.Parse(a.Endpoint); err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
			return nil, nil, fmt.Errorf("--endpoint must be an address such as http://localhost:8000, but is %q", a.Endpoint)
		}
		return dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) { o.BaseEndpoint = &a.Endpoint }), nil, nil
	}
	return dynamodb.NewFromConfig(cfg), scaling{applicationautoscaling.NewFromConfig(cfg)}, nil
}
