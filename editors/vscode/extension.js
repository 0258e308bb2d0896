// Starts "smux lsp" for CUDA files.
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = () => {
  const settings = workspace.getConfiguration('smux');
  client = new LanguageClient(
    'smux',
    'smux',
    { command: settings.get('path'), args: ['lsp', ...settings.get('arguments')] },
    {
      documentSelector: ['cuda-cpp', 'cuda'].map((language) => ({ scheme: 'file', language })),
      synchronize: { fileEvents: workspace.createFileSystemWatcher('**/{.smux.yaml,compile_commands.json}') },
      initializationOptions: { check: settings.get('check') },
    },
  );
  return client.start();
};

exports.deactivate = () => client?.stop();
