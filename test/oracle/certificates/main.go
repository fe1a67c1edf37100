// The certificates oracle: how the libraries of kube-controller-manager, which signs them, read and write certificate requests.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"os"

	"millwright.dev/oracle/wire"
)

func main() {
	err := wire.Serve(os.Stdin, os.Stdout, map[string]wire.Op{
		"read-request":  readRequest,
		"write-request": writeRequest,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type request struct {
	PEM           string   `json:"pem,omitempty"`
	CommonName    string   `json:"commonName"`
	Organizations []string `json:"organizations"`
	DNSNames      []string `json:"dnsNames"`
	Addresses     []string `json:"addresses"`
	// Others counts the email addresses and URIs.
	Others int `json:"others"`
	// Key is the content of the SubjectPublicKeyInfo.
	Key []byte `json:"key"`
	// Error is that of the library.
	Error string `json:"error,omitempty"`
}

// As ParseCSR of k8s.io/kubernetes/pkg/apis/certificates does it.
func readRequest(line json.RawMessage) (any, error) {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return nil, err
	}
	block, _ := pem.Decode([]byte(asked.PEM))
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return request{Error: "PEM block type must be CERTIFICATE REQUEST"}, nil
	}
	read, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return request{Error: err.Error()}, nil
	}
	key, err := contentOf(read.RawSubjectPublicKeyInfo)
	if err != nil {
		return nil, err
	}
	result := request{
		CommonName:    read.Subject.CommonName,
		Organizations: read.Subject.Organization,
		DNSNames:      read.DNSNames,
		Others:        len(read.EmailAddresses) + len(read.URIs),
		Key:           key,
	}
	for _, address := range read.IPAddresses {
		result.Addresses = append(result.Addresses, address.String())
	}
	return result, nil
}

// As the certificate manager of the kubelet does it.
func writeRequest(line json.RawMessage) (any, error) {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := x509.CertificateRequest{
		Subject:  pkix.Name{CommonName: asked.CommonName, Organization: asked.Organizations},
		DNSNames: asked.DNSNames,
	}
	for _, address := range asked.Addresses {
		template.IPAddresses = append(template.IPAddresses, net.ParseIP(address))
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &template, key)
	if err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, err
	}
	content, err := contentOf(public)
	if err != nil {
		return nil, err
	}
	written := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
	return request{PEM: string(written), Key: content}, nil
}

// Of one DER value, without its tag and length.
func contentOf(der []byte) ([]byte, error) {
	var value asn1.RawValue
	if _, err := asn1.Unmarshal(der, &value); err != nil {
		return nil, err
	}
	return value.Bytes, nil
}
