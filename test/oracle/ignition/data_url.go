package main

import (
	"encoding/json"

	"github.com/vincent-petithory/dataurl"
)

type dataURLAnswer struct {
	OK        bool   `json:"ok"`
	Data      []byte `json:"data,omitempty"`
	MediaType string `json:"mediaType,omitempty"`
	URL       string `json:"url,omitempty"`
	Error     string `json:"error,omitempty"`
}

// dataURLDecodeOp reads `url`; the bytes come back in base64.
func dataURLDecodeOp(request json.RawMessage) (any, error) {
	var probe struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(request, &probe); err != nil {
		return nil, err
	}
	decoded, err := dataurl.DecodeString(probe.URL)
	if err != nil {
		return dataURLAnswer{Error: err.Error()}, nil
	}
	return dataURLAnswer{OK: true, Data: decoded.Data, MediaType: decoded.MediaType.String()}, nil
}

// dataURLEncodeOp writes bytes, given in base64, as the operator's controllers do, with a media type that is
// guessed from them; `escaped` is the other form, which the template controller uses.
func dataURLEncodeOp(request json.RawMessage) (any, error) {
	var probe struct {
		Data    []byte `json:"data"`
		Escaped bool   `json:"escaped"`
	}
	if err := json.Unmarshal(request, &probe); err != nil {
		return nil, err
	}
	if probe.Escaped {
		return dataURLAnswer{OK: true, URL: "data:," + dataurl.Escape(probe.Data)}, nil
	}
	return dataURLAnswer{OK: true, URL: dataurl.EncodeBytes(probe.Data)}, nil
}
