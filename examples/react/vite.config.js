export default { worker: { format: 'es' }, optimizeDeps: { exclude: ['memfold'] }, build: { target: 'es2022' } };
